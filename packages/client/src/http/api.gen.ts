/**
 * Generated from the OpenAPI document of packages/api by `npm run client:types`: what each route takes and answers, in the
 * names of the wire.
 */

export interface Operations {
  /** What ends, as it happens. Server-sent events of the tenant: `run.dead`, `run.cancelled`, `run.skipped`, `run.unknown`; for keys of the installation also `worker.lost`. `Last-Event-ID` goes on where a stream ended, up to a day back: at least once, so that what ended in the seconds before may come again. A comment shows every 15 s that the stream lives. Needs the scope `read`. Problems of its own: too_many_streams, invalid_cursor. */
  "GET /activity": {
    query: {
      /** Only events of these names. */
      types?: string[] | undefined
    }
    answer: unknown
  }
  /** Keys, without their secrets. Needs the scope `admin`. */
  "GET /api-keys": {
    query: {
      after?: string | undefined
      limit?: number | undefined
    }
    answer: {
      api_keys: {
        id: string
        name: string
        /** Enough to recognise it, too little to use it. */
        prefix: string
        tenant_name: string | null
        scopes: string[]
        created_at: string
        created_by: string | null
        expires_at: string | null
        revoked_at: string | null
        revoked_by: string | null
        rotated_to: string | null
        /** To the minute. */
        last_used_at: string | null
      }[]
    }
  }
  /** Make a key; it is shown this once. Needs the scope `admin`. */
  "POST /api-keys": {
    body: {
      name: string
      scopes: ("read" | "submit" | "operate" | "worker" | "admin" | "system")[]
      /** An instant: ISO 8601 with Z or an offset. */
      expires_at?: string | undefined
    }
    answer: {
      id: string
      name: string
      /** Enough to recognise it, too little to use it. */
      prefix: string
      tenant_name: string | null
      scopes: string[]
      created_at: string
      created_by: string | null
      expires_at: string | null
      revoked_at: string | null
      revoked_by: string | null
      rotated_to: string | null
      /** To the minute. */
      last_used_at: string | null
      /** Shown this once; null when the same request is answered again. */
      key: string | null
    }
  }
  /** Refuse a key from now on, on every node within seconds. Needs the scope `admin`. Problems of its own: api_key_not_found. */
  "DELETE /api-keys/{id}": {
    params: {
      id: string
    }
    answer: {
      id: string
      name: string
      /** Enough to recognise it, too little to use it. */
      prefix: string
      tenant_name: string | null
      scopes: string[]
      created_at: string
      created_by: string | null
      expires_at: string | null
      revoked_at: string | null
      revoked_by: string | null
      rotated_to: string | null
      /** To the minute. */
      last_used_at: string | null
    }
  }
  /** Make a key in place of this one, which is accepted for a while yet. Needs the scope `admin`. Problems of its own: api_key_not_found. */
  "POST /api-keys/{id}/rotate": {
    params: {
      id: string
    }
    body: {
      /** A day unless said. */
      overlap_ms?: number | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      expires_at?: string | undefined
    }
    answer: {
      id: string
      name: string
      /** Enough to recognise it, too little to use it. */
      prefix: string
      tenant_name: string | null
      scopes: string[]
      created_at: string
      created_by: string | null
      expires_at: string | null
      revoked_at: string | null
      revoked_by: string | null
      rotated_to: string | null
      /** To the minute. */
      last_used_at: string | null
      /** Shown this once; null when the same request is answered again. */
      key: string | null
    }
  }
  /** Entries, the newest first. Of the tenant of the key, or of `X-Punctual-Tenant`; a key of the installation that names no tenant is told of all of them and of itself. Needs the scope `admin`. */
  "GET /audit": {
    query: {
      /** Such as `job.pause`, or `job.*`. */
      action?: string | undefined
      target?: string | undefined
      target_kind?: string | undefined
      actor?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      from?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      to?: string | undefined
      /** `next_after` of the page before. */
      after?: string | undefined
      limit?: number | undefined
    }
    answer: {
      entries: {
        id: string
        /** Whose it is; null: of the installation. */
        tenant_id: number | null
        at: string
        actor: unknown
        action: string
        target: unknown
        before: unknown
        after: unknown
        note: string | null
        /** Its place in the chain; null while not sealed. */
        seq: number | null
        hash: string | null
      }[]
      next_after: string | null
    }
  }
  /** Whether the chain is as it was written. Of the tenant of the key, or of `X-Punctual-Tenant`; a key of the installation that names no tenant is told of every chain there is. Needs the scope `admin`. */
  "GET /audit/verify": {
    answer: {
      clean: boolean
      chains: unknown[]
    }
  }
  /** Calendars, by name. Needs the scope `read`. */
  "GET /calendars": {
    answer: {
      calendars: {
        name: string
        calendar: unknown
      }[]
    }
  }
  /** Remove a calendar that no job refers to. Needs the scope `operate`. Problems of its own: calendar_in_use. */
  "DELETE /calendars/{name}": {
    params: {
      name: string
    }
    answer: {
      removed: boolean
    }
  }
  /** A calendar. Needs the scope `read`. Problems of its own: calendar_not_found. */
  "GET /calendars/{name}": {
    params: {
      name: string
    }
    answer: {
      name: string
      calendar: unknown
    }
  }
  /** Make a calendar, or change it; it holds for every slot that is not decided yet. Needs the scope `operate`. Problems of its own: invalid_calendar, invalid_timezone. */
  "PUT /calendars/{name}": {
    params: {
      name: string
    }
    body: {
      timezone?: string | undefined
      exclude?: string[] | undefined
      include?: string[] | undefined
      windows?: unknown[] | undefined
    }
    answer: {
      name: string
      calendar: unknown
    }
  }
  /** Runs that died, the last first. Needs the scope `read`. Problems of its own: invalid_cursor, job_not_found. */
  "GET /dead-letters": {
    query: {
      queue?: string | undefined
      handler?: string | undefined
      /** The name or the id of a job. */
      job?: string | undefined
      /** What they died of. */
      fingerprint?: string | undefined
      reason?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      died_from?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      died_before?: string | undefined
      /** Whether somebody has handled them. */
      state?: "open" | "handled" | "all" | undefined
      limit?: number | undefined
      /** `next_cursor` of the page before. */
      cursor?: string | undefined
    }
    answer: {
      dead_letters: {
        /** That of the run that died. */
        id: string
        handler: string
        queue: string
        priority: number
        job: {
          id: string
          name: string | null
        } | null
        reason: string
        fingerprint: string
        died_at: string
        attempts: number
        error: {
          name: string
          message: string
        } | null
        handled: {
          as: string
          at: string
          replayed_as: string | null
          note: string | null
          by: string | null
        } | null
      }[]
      next_cursor: string | null
    }
  }
  /** What dies alike, together; the largest cause first. Needs the scope `read`. Problems of its own: job_not_found. */
  "GET /dead-letters/causes": {
    query: {
      queue?: string | undefined
      handler?: string | undefined
      /** The name or the id of a job. */
      job?: string | undefined
      /** What they died of. */
      fingerprint?: string | undefined
      reason?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      died_from?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      died_before?: string | undefined
      /** Whether somebody has handled them. */
      state?: "open" | "handled" | "all" | undefined
      limit?: number | undefined
    }
    answer: {
      causes: {
        fingerprint: string
        count: number
        first_died_at: string
        last_died_at: string
        sample_id: string
        sample_message: string | null
        handlers: string[]
      }[]
    }
  }
  /** Discard all open dead letters that match. Needs the scope `operate`. Problems of its own: job_not_found. */
  "POST /dead-letters/discard": {
    body: {
      filter?: {
        queue?: string | undefined
        handler?: string | undefined
        /** The name or the id of a job. */
        job?: string | undefined
        /** What they died of. */
        fingerprint?: string | undefined
        reason?: string | undefined
        /** An instant: ISO 8601 with Z or an offset. */
        died_from?: string | undefined
        /** An instant: ISO 8601 with Z or an offset. */
        died_before?: string | undefined
      } | undefined
      /** An empty filter is meant: everything that can be changed so. */
      all?: boolean | undefined
      /** Only count. */
      dry_run?: boolean | undefined
      limit?: number | undefined
      /** Why; kept with each. */
      reason: string
    }
    answer: {
      dry_run: boolean
      /** How many were dealt with, or would be. */
      matched: number
      /** False when there are more than `limit`: ask again. */
      complete: boolean
      discarded: number
    }
  }
  /** Replay all open dead letters that match. As fast as it goes, and all in one transaction; the library can pace it. Needs the scope `operate`. Problems of its own: job_not_found. */
  "POST /dead-letters/replay": {
    body: {
      filter?: {
        queue?: string | undefined
        handler?: string | undefined
        /** The name or the id of a job. */
        job?: string | undefined
        /** What they died of. */
        fingerprint?: string | undefined
        reason?: string | undefined
        /** An instant: ISO 8601 with Z or an offset. */
        died_from?: string | undefined
        /** An instant: ISO 8601 with Z or an offset. */
        died_before?: string | undefined
      } | undefined
      /** An empty filter is meant: everything that can be changed so. */
      all?: boolean | undefined
      /** Only count. */
      dry_run?: boolean | undefined
      limit?: number | undefined
      from_checkpoint?: boolean | undefined
      /** Why; kept with each. */
      note?: string | undefined
    }
    answer: {
      dry_run: boolean
      /** How many were dealt with, or would be. */
      matched: number
      /** False when there are more than `limit`: ask again. */
      complete: boolean
      replayed: number
      already_handled: number
      /** A live run has their key; they stay open. */
      key_busy: number
      /** The new runs. */
      run_ids: string[]
    }
  }
  /** A dead letter with its run, the end of its log and its last checkpoint. Needs the scope `read`. Problems of its own: dead_letter_not_found. */
  "GET /dead-letters/{id}": {
    params: {
      /** Its id, or its name. */
      id: string
    }
    answer: {
      /** That of the run that died. */
      id: string
      handler: string
      queue: string
      priority: number
      job: {
        id: string
        name: string | null
      } | null
      reason: string
      fingerprint: string
      died_at: string
      attempts: number
      error: {
        name: string
        message: string
      } | null
      handled: {
        as: string
        at: string
        replayed_as: string | null
        note: string | null
        by: string | null
      } | null
      run: {
        id: string
        state: "waiting" | "scheduled" | "queued" | "running" | "cancelling" | "succeeded" | "dead" | "cancelled" | "skipped" | "unknown"
        handler: string
        queue: string
        priority: number
        due_at: string
        created_at: string
        key: string | null
        /** Up to 16 names and values. */
        labels: Record<string, string>
        payload: unknown
        max_attempts: number
        timeout_ms: number
        created_by: string | null
        trace: string | null
        /** `id`, `name`, `slot_at`, `missed_from`; null without one. */
        job: unknown
        delivery: string
        policy: unknown
        expires_at: string | null
        replay_of: string | null
        replayed_as: string | null
        edited_at: string | null
        concurrency: unknown
        rate: unknown
        /** Those that have ended, oldest first. */
        attempts: {
          attempt: number
          outcome: string
          started_at: string | null
          ended_at: string
          worker_id: string | null
          error: {
            name: string
            message: string
            stack?: string | undefined
            code?: string | undefined
          } | null
        }[]
        possible_duplicate: boolean
        next_at?: string | null | undefined
        waits_for?: string | null | undefined
        worker_id?: string | null | undefined
        claimed_at?: string | null | undefined
        cancel_reason?: string | null | undefined
        progress?: unknown
        started_at?: string | null | undefined
        finished_at?: string | null | undefined
        output?: unknown
        error?: {
          name: string
          message: string
          stack?: string | undefined
          code?: string | undefined
        } | null | undefined
        reason?: string | null | undefined
        lateness_ms?: number | null | undefined
        resolved?: unknown
      }
      log: {
        attempt: number
        seq: number
        at: string
        level: string
        message: string
        data: unknown
      }[]
      checkpoint: unknown
    }
  }
  /** Close a dead letter without doing it again. Needs the scope `operate`. Problems of its own: dead_letter_not_found, already_handled, key_conflict. */
  "POST /dead-letters/{id}/discard": {
    params: {
      /** Its id, or its name. */
      id: string
    }
    body: {
      /** Why; kept with it. */
      reason: string
    }
    answer: {
      id: string
      result: "discarded"
    }
  }
  /** Make a new run of a dead one, due now. Needs the scope `operate`. Problems of its own: dead_letter_not_found, already_handled, key_conflict. */
  "POST /dead-letters/{id}/replay": {
    params: {
      /** Its id, or its name. */
      id: string
    }
    body: {
      /** Instead of its own. */
      payload?: unknown
      from_checkpoint?: boolean | undefined
      /** Why; kept with it. */
      note?: string | undefined
    }
    answer: {
      id: string
      /** The new run. */
      run_id: string
    }
  }
  /** Groups, the newest first. Needs the scope `read`. */
  "GET /groups": {
    query: {
      limit?: number | undefined
    }
    answer: {
      groups: {
        id: string
        name: string | null
        total: number
        open: boolean
        done: boolean
        created_at: string
        closed_at: string | null
        done_at: string | null
        callback_run_id: string | null
      }[]
    }
  }
  /** Submit runs that belong together. Needs the scope `submit`. */
  "POST /groups": {
    body: {
      name?: string | undefined
      runs: {
        /** Which handler is to run it. */
        handler: string
        /** What it is given. */
        payload?: unknown
        /** An instant: ISO 8601 with Z or an offset. */
        run_at?: string | undefined
        /** So long from now: seconds, or a duration such as `10m`. */
        delay?: number | string | undefined
        /** An instant: ISO 8601 with Z or an offset. */
        expires_at?: string | undefined
        /** Of live runs only one has it. */
        key?: string | undefined
        on_conflict?: "return" | "replace" | "debounce" | "throttle" | "error" | undefined
        window?: number | string | undefined
        max_wait?: number | string | undefined
        trace?: string | undefined
        /** Refuse when no live worker has it. */
        strict?: boolean | undefined
        /** Up to 16 names and values. */
        labels?: Record<string, string> | undefined
        queue?: string | undefined
        /** Higher first. */
        priority?: number | undefined
        /** Attempts, the first included. */
        max_attempts?: number | undefined
        /** Attempts after the first. */
        max_retries?: number | undefined
        /** When failed attempts are followed by another. */
        retry_policy?: {
          /** Attempts, the first included. */
          max_attempts?: number | undefined
          backoff?: "exponential" | "linear" | "fixed" | {
            kind: "exponential" | "linear" | "fixed" | "list"
            [name: string]: unknown
          } | undefined
          retry_on?: string[] | undefined
          abort_on?: string[] | undefined
        } | undefined
        timeout_seconds?: number | undefined
        /** How long one attempt may take. */
        timeout_ms?: number | undefined
        heartbeat_ms?: number | undefined
        delivery?: "at-least-once" | "at-most-once" | "transactional" | undefined
        concurrency?: {
          /** A text, or `{ "payload": "path" }`. */
          key: unknown
          limit?: number | undefined
        } | undefined
        rate?: {
          /** A text, or `{ "payload": "path" }`. */
          key?: unknown
          limit: number
          per?: string | number | undefined
          burst?: number | undefined
        } | undefined
      }[]
      /** More may be added until it is closed. */
      open?: boolean | undefined
      on_done?: {
        handler: string
        /** What it is given besides. */
        payload?: unknown
      } | undefined
    }
    answer: {
      id: string
      name: string | null
      total: number
      open: boolean
      done: boolean
      created_at: string
      closed_at: string | null
      done_at: string | null
      callback_run_id: string | null
      counts: Record<string, number>
      ended: number
    }
  }
  /** How far a group has come. Needs the scope `read`. Problems of its own: group_not_found. */
  "GET /groups/{id}": {
    params: {
      id: string
    }
    answer: {
      id: string
      name: string | null
      total: number
      open: boolean
      done: boolean
      created_at: string
      closed_at: string | null
      done_at: string | null
      callback_run_id: string | null
      counts: Record<string, number>
      ended: number
    }
  }
  /** Nothing more is added; what follows comes when all have ended. Needs the scope `submit`. Problems of its own: group_not_found. */
  "POST /groups/{id}/close": {
    params: {
      id: string
    }
    answer: {
      /** False when it was closed already. */
      closed: boolean
    }
  }
  /** The runs of a group. Needs the scope `read`. Problems of its own: group_not_found. */
  "GET /groups/{id}/runs": {
    params: {
      id: string
    }
    query: {
      /** From this place on. */
      from?: number | undefined
      limit?: number | undefined
    }
    answer: {
      runs: {
        id: string
        place: number
        state: string
      }[]
    }
  }
  /** Which promises hold on this server as it is now, and what weakens the others. Needs the scope `read`. */
  "GET /guarantees": {
    answer: unknown
  }
  /** Jobs that match. Needs the scope `read`. Problems of its own: invalid_cursor. */
  "GET /jobs": {
    query: {
      limit?: number | undefined
      /** `next_cursor` of the page before. */
      cursor?: string | undefined
      /** From 1; `cursor` goes further. */
      page?: number | undefined
      status?: "scheduled" | "queued" | "running" | "waiting_dependencies" | "paused" | "cancelling" | "cancelled" | "completed" | "failed" | "dead_letter" | undefined
      /** What their names begin with. */
      name?: string | undefined
      queue?: string | undefined
      handler?: string | undefined
      /** `name:value`. */
      label?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      next_from?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      next_to?: string | undefined
    }
    answer: {
      jobs: {
        id: string
        name: string
        status: "scheduled" | "queued" | "running" | "waiting_dependencies" | "paused" | "cancelling" | "cancelled" | "completed" | "failed" | "dead_letter"
        next_run_at: string | null
        handler: string
        queue: string
        priority: number
        payload: unknown
        schedule: string | null
        timezone: string | null
        /** When it fires and what becomes of its slots, in full. */
        rules: unknown
        start_at: string | null
        end_at: string | null
        max_runs: number | null
        runs_left: number | null
        max_attempts: number
        timeout_ms: number
        timeout_seconds: number
        delivery: string
        retry: unknown
        heartbeat_ms: number | null
        concurrency: unknown
        rate: unknown
        /** Up to 16 names and values. */
        labels: Record<string, string>
        description: string | null
        owner: string | null
        source: string | null
        created_by: string | null
        version: number
        created_at: string
        updated_at: string
        paused_at: string | null
        paused_note: string | null
        planning_error: string | null
        failures: number
        latest_run_id: string | null
        attempt_number: number | null
        execution_time_ms: number | null
        completed_at: string | null
      }[]
      /** Exact to 10,000. */
      total: number
      total_exact: boolean
      page: number | null
      next_cursor: string | null
    }
  }
  /** Make a job. Of `schedule`, `every_after_end`, `run_at` and `delay` one says when; with none of them it runs now. No worker need know its handler yet. The name of a job that ran once, and has ended, is free: the new one takes its place, and its runs stay. Needs the scope `operate`. Problems of its own: job_exists, invalid_schedule, invalid_timezone, never_fires, quota_exceeded. */
  "POST /jobs": {
    body: {
      name: string
      /** The handler of its runs. Its name unless said. */
      handler?: string | undefined
      /** What its runs are given. */
      payload?: unknown
      /** When it fires: a cron expression, or an interval such as `every 5m`, `PT1H` or `R5/…/PT1H`. */
      schedule?: string | undefined
      /** So long after the run before has ended. */
      every_after_end?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      run_at?: string | undefined
      /** Once, so long from now: seconds, or a duration such as `10m`. */
      delay?: number | string | undefined
      timezone?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      start_at?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      end_at?: string | undefined
      /** The most runs that are made. */
      max_runs?: number | undefined
      /** Spreads the runs of jobs of one second. */
      jitter_ms?: number | undefined
      exact?: boolean | undefined
      calendars?: string[] | undefined
      dst?: {
        gap?: string | undefined
        overlap?: string | undefined
      } | undefined
      day_rule?: "or" | "and" | undefined
      misfire?: "all" | "latest" | "none" | {
        policy?: "all" | "latest" | "none" | undefined
        grace_ms?: number | undefined
        max_age_ms?: number | undefined
        max_count?: number | undefined
        drip_ms?: number | undefined
      } | undefined
      overlap?: "skip" | "allow" | "queue-one" | "queue-all" | "cancel-previous" | "terminate-previous" | undefined
      pause_after_failures?: number | undefined
      description?: string | undefined
      owner?: string | undefined
      /** Up to 16 names and values. */
      labels?: Record<string, string> | undefined
      queue?: string | undefined
      /** Higher first. */
      priority?: number | undefined
      /** Attempts, the first included. */
      max_attempts?: number | undefined
      /** Attempts after the first. */
      max_retries?: number | undefined
      /** When failed attempts are followed by another. */
      retry_policy?: {
        /** Attempts, the first included. */
        max_attempts?: number | undefined
        backoff?: "exponential" | "linear" | "fixed" | {
          kind: "exponential" | "linear" | "fixed" | "list"
          [name: string]: unknown
        } | undefined
        retry_on?: string[] | undefined
        abort_on?: string[] | undefined
      } | undefined
      timeout_seconds?: number | undefined
      /** How long one attempt may take. */
      timeout_ms?: number | undefined
      heartbeat_ms?: number | undefined
      delivery?: "at-least-once" | "at-most-once" | "transactional" | undefined
      concurrency?: {
        /** A text, or `{ "payload": "path" }`. */
        key: unknown
        limit?: number | undefined
      } | undefined
      rate?: {
        /** A text, or `{ "payload": "path" }`. */
        key?: unknown
        limit: number
        per?: string | number | undefined
        burst?: number | undefined
      } | undefined
    }
    answer: {
      id: string
      name: string
      status: "scheduled" | "queued" | "running" | "waiting_dependencies" | "paused" | "cancelling" | "cancelled" | "completed" | "failed" | "dead_letter"
      next_run_at: string | null
      change: "created" | "updated" | "unchanged"
    }
  }
  /** Make or change up to 10,000 jobs, one a line. NDJSON: each line is what POST /jobs takes. A job of that name is changed. Needs the scope `operate`. Problems of its own: invalid_request, invalid_schedule, quota_exceeded. */
  "POST /jobs/bulk": {
    query: {
      /** `all`: all or none. `each`: those that are right, with a result for each. */
      mode?: "all" | "each" | undefined
    }
    body: string
    answer: {
      accepted: number
      refused: number
      /** In the order of the lines. */
      items: {
        id?: string | undefined
        name?: string | undefined
        created?: boolean | undefined
        outcome?: string | undefined
        change?: string | undefined
        problem?: {
          type: string
          title: string
          status: number
          detail: string
          /** Stable: programs may compare it. */
          code: string
          request_id: string
          /** The field or parameter that is wrong. */
          field?: string | undefined
          /** The same as a JSON pointer into the body. */
          pointer?: string | undefined
          reason?: string | undefined
          /** The quota that leaves no room, its limit, and what its use would be. */
          quota?: {
            name: string
            limit: number
            used: number
          } | undefined
        } | undefined
      }[]
    }
  }
  /** Cancel a job and free its name. All of its runs that have not started are cancelled, also those of backfills, by hand and of missed slots. Those that run are asked to end, unless `running` is `finish`. The history stays. With `If-Match`, only if it is still the version that the ETag names (412). Needs the scope `operate`. Problems of its own: job_not_found, version_changed, already_finished. */
  "DELETE /jobs/{id}": {
    params: {
      /** Its id, or its name. */
      id: string
    }
    query: {
      running?: "cancel" | "finish" | undefined
    }
    answer: {
      id: string
      status: "cancelled"
      /** Runs that were cancelled or asked to end. */
      cancelled_runs: number
    }
  }
  /** A job and its latest run. Needs the scope `read`. Problems of its own: job_not_found. */
  "GET /jobs/{id}": {
    params: {
      /** Its id, or its name. */
      id: string
    }
    answer: {
      id: string
      name: string
      status: "scheduled" | "queued" | "running" | "waiting_dependencies" | "paused" | "cancelling" | "cancelled" | "completed" | "failed" | "dead_letter"
      next_run_at: string | null
      handler: string
      queue: string
      priority: number
      payload: unknown
      schedule: string | null
      timezone: string | null
      /** When it fires and what becomes of its slots, in full. */
      rules: unknown
      start_at: string | null
      end_at: string | null
      max_runs: number | null
      runs_left: number | null
      max_attempts: number
      timeout_ms: number
      timeout_seconds: number
      delivery: string
      retry: unknown
      heartbeat_ms: number | null
      concurrency: unknown
      rate: unknown
      /** Up to 16 names and values. */
      labels: Record<string, string>
      description: string | null
      owner: string | null
      source: string | null
      created_by: string | null
      version: number
      created_at: string
      updated_at: string
      paused_at: string | null
      paused_note: string | null
      planning_error: string | null
      failures: number
      latest_run_id: string | null
      attempt_number: number | null
      execution_time_ms: number | null
      completed_at: string | null
    }
  }
  /** Change some of a job. With `If-Match`, only if it is still the version that the ETag names (412). Needs the scope `operate`. Problems of its own: job_not_found, version_changed, invalid_schedule. */
  "PATCH /jobs/{id}": {
    params: {
      /** Its id, or its name. */
      id: string
    }
    body: {
      /** The handler of its runs. Its name unless said. */
      handler?: string | undefined
      /** What its runs are given. */
      payload?: unknown
      /** When it fires: a cron expression, or an interval such as `every 5m`, `PT1H` or `R5/…/PT1H`. */
      schedule?: string | undefined
      /** So long after the run before has ended. */
      every_after_end?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      run_at?: string | undefined
      /** Once, so long from now: seconds, or a duration such as `10m`. */
      delay?: number | string | undefined
      timezone?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      start_at?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      end_at?: string | undefined
      /** The most runs that are made. */
      max_runs?: number | undefined
      /** Spreads the runs of jobs of one second. */
      jitter_ms?: number | undefined
      exact?: boolean | undefined
      calendars?: string[] | undefined
      dst?: {
        gap?: string | undefined
        overlap?: string | undefined
      } | undefined
      day_rule?: "or" | "and" | undefined
      misfire?: "all" | "latest" | "none" | {
        policy?: "all" | "latest" | "none" | undefined
        grace_ms?: number | undefined
        max_age_ms?: number | undefined
        max_count?: number | undefined
        drip_ms?: number | undefined
      } | undefined
      overlap?: "skip" | "allow" | "queue-one" | "queue-all" | "cancel-previous" | "terminate-previous" | undefined
      pause_after_failures?: number | undefined
      description?: string | undefined
      owner?: string | undefined
      /** Up to 16 names and values. */
      labels?: Record<string, string> | undefined
      queue?: string | undefined
      /** Higher first. */
      priority?: number | undefined
      /** Attempts, the first included. */
      max_attempts?: number | undefined
      /** Attempts after the first. */
      max_retries?: number | undefined
      /** When failed attempts are followed by another. */
      retry_policy?: {
        /** Attempts, the first included. */
        max_attempts?: number | undefined
        backoff?: "exponential" | "linear" | "fixed" | {
          kind: "exponential" | "linear" | "fixed" | "list"
          [name: string]: unknown
        } | undefined
        retry_on?: string[] | undefined
        abort_on?: string[] | undefined
      } | undefined
      timeout_seconds?: number | undefined
      /** How long one attempt may take. */
      timeout_ms?: number | undefined
      heartbeat_ms?: number | undefined
      delivery?: "at-least-once" | "at-most-once" | "transactional" | undefined
      concurrency?: {
        /** A text, or `{ "payload": "path" }`. */
        key: unknown
        limit?: number | undefined
      } | undefined
      rate?: {
        /** A text, or `{ "payload": "path" }`. */
        key?: unknown
        limit: number
        per?: string | number | undefined
        burst?: number | undefined
      } | undefined
    }
    answer: {
      id: string
      name: string
      status: "scheduled" | "queued" | "running" | "waiting_dependencies" | "paused" | "cancelling" | "cancelled" | "completed" | "failed" | "dead_letter"
      next_run_at: string | null
      change: "created" | "updated" | "unchanged"
    }
  }
  /** Make a job of this name, or change it to this. With `If-Match`, only if it is still the version that the ETag names, and `*`: only if there is one; with `If-None-Match: *`, only if there is none (412). Needs the scope `operate`. Problems of its own: version_changed, invalid_schedule, invalid_timezone, never_fires, quota_exceeded. */
  "PUT /jobs/{id}": {
    params: {
      /** Its id, or its name. */
      id: string
    }
    body: {
      /** The handler of its runs. Its name unless said. */
      handler?: string | undefined
      /** What its runs are given. */
      payload?: unknown
      /** When it fires: a cron expression, or an interval such as `every 5m`, `PT1H` or `R5/…/PT1H`. */
      schedule?: string | undefined
      /** So long after the run before has ended. */
      every_after_end?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      run_at?: string | undefined
      /** Once, so long from now: seconds, or a duration such as `10m`. */
      delay?: number | string | undefined
      timezone?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      start_at?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      end_at?: string | undefined
      /** The most runs that are made. */
      max_runs?: number | undefined
      /** Spreads the runs of jobs of one second. */
      jitter_ms?: number | undefined
      exact?: boolean | undefined
      calendars?: string[] | undefined
      dst?: {
        gap?: string | undefined
        overlap?: string | undefined
      } | undefined
      day_rule?: "or" | "and" | undefined
      misfire?: "all" | "latest" | "none" | {
        policy?: "all" | "latest" | "none" | undefined
        grace_ms?: number | undefined
        max_age_ms?: number | undefined
        max_count?: number | undefined
        drip_ms?: number | undefined
      } | undefined
      overlap?: "skip" | "allow" | "queue-one" | "queue-all" | "cancel-previous" | "terminate-previous" | undefined
      pause_after_failures?: number | undefined
      description?: string | undefined
      owner?: string | undefined
      /** Up to 16 names and values. */
      labels?: Record<string, string> | undefined
      queue?: string | undefined
      /** Higher first. */
      priority?: number | undefined
      /** Attempts, the first included. */
      max_attempts?: number | undefined
      /** Attempts after the first. */
      max_retries?: number | undefined
      /** When failed attempts are followed by another. */
      retry_policy?: {
        /** Attempts, the first included. */
        max_attempts?: number | undefined
        backoff?: "exponential" | "linear" | "fixed" | {
          kind: "exponential" | "linear" | "fixed" | "list"
          [name: string]: unknown
        } | undefined
        retry_on?: string[] | undefined
        abort_on?: string[] | undefined
      } | undefined
      timeout_seconds?: number | undefined
      /** How long one attempt may take. */
      timeout_ms?: number | undefined
      heartbeat_ms?: number | undefined
      delivery?: "at-least-once" | "at-most-once" | "transactional" | undefined
      concurrency?: {
        /** A text, or `{ "payload": "path" }`. */
        key: unknown
        limit?: number | undefined
      } | undefined
      rate?: {
        /** A text, or `{ "payload": "path" }`. */
        key?: unknown
        limit: number
        per?: string | number | undefined
        burst?: number | undefined
      } | undefined
    }
    answer: {
      id: string
      name: string
      status: "scheduled" | "queued" | "running" | "waiting_dependencies" | "paused" | "cancelling" | "cancelled" | "completed" | "failed" | "dead_letter"
      next_run_at: string | null
      change: "created" | "updated" | "unchanged"
    }
  }
  /** Run slots of the past that have not run; asking again runs none twice. With `If-Match`, only if it is still the version that the ETag names (412). Needs the scope `operate`. Problems of its own: job_not_found, version_changed. */
  "POST /jobs/{id}/backfill": {
    params: {
      /** Its id, or its name. */
      id: string
    }
    body: {
      /** An instant: ISO 8601 with Z or an offset. */
      from: string
      /** An instant: ISO 8601 with Z or an offset. */
      to: string
      pace_ms?: number | undefined
    }
    answer: {
      runs: number
      already: number
    }
  }
  /** Why it ran, or did not, at an instant. Needs the scope `read`. Problems of its own: job_not_found. */
  "GET /jobs/{id}/explain": {
    params: {
      /** Its id, or its name. */
      id: string
    }
    query: {
      /** An instant: ISO 8601 with Z or an offset. */
      at?: string | undefined
    }
    answer: unknown
  }
  /** Make no more runs of it. Runs of slots ahead are taken back. Runs that were decided for slots of the past (backfills, missed slots, those that jitter moved) and by hand go on: cancel those by `POST /runs/cancel`. With `If-Match`, only if it is still the version that the ETag names (412). Needs the scope `operate`. Problems of its own: job_not_found, version_changed. */
  "POST /jobs/{id}/pause": {
    params: {
      /** Its id, or its name. */
      id: string
    }
    body: {
      /** Why. */
      note?: string | undefined
    }
    answer: {
      id: string
      name: string
      status: "scheduled" | "queued" | "running" | "waiting_dependencies" | "paused" | "cancelling" | "cancelled" | "completed" | "failed" | "dead_letter"
      next_run_at: string | null
      change: "created" | "updated" | "unchanged"
    }
  }
  /** Its next slots. Needs the scope `read`. Problems of its own: job_not_found. */
  "GET /jobs/{id}/preview": {
    params: {
      /** Its id, or its name. */
      id: string
    }
    query: {
      count?: number | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      from?: string | undefined
      /** Also those around the next changes of the clocks. */
      around_changes?: boolean | undefined
    }
    answer: {
      slots: {
        at: string
        local: string
      }[]
    }
  }
  /** Go on; slots that passed meanwhile are skipped. With `If-Match`, only if it is still the version that the ETag names (412). Needs the scope `operate`. Problems of its own: job_not_found, version_changed. */
  "POST /jobs/{id}/resume": {
    params: {
      /** Its id, or its name. */
      id: string
    }
    answer: {
      id: string
      name: string
      status: "scheduled" | "queued" | "running" | "waiting_dependencies" | "paused" | "cancelling" | "cancelled" | "completed" | "failed" | "dead_letter"
      next_run_at: string | null
      change: "created" | "updated" | "unchanged"
    }
  }
  /** One slot ahead is not to run. With `If-Match`, only if it is still the version that the ETag names (412). Needs the scope `operate`. Problems of its own: job_not_found, version_changed, slot_not_found. */
  "POST /jobs/{id}/skip": {
    params: {
      /** Its id, or its name. */
      id: string
    }
    body: {
      /** An instant: ISO 8601 with Z or an offset. */
      slot: string
    }
    answer: {
      skipped: string
    }
  }
  /** What was decided for its slots, oldest first. Needs the scope `read`. Problems of its own: job_not_found. */
  "GET /jobs/{id}/slots": {
    params: {
      /** Its id, or its name. */
      id: string
    }
    query: {
      /** An instant: ISO 8601 with Z or an offset. */
      from?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      to?: string | undefined
      limit?: number | undefined
    }
    answer: {
      slots: {
        slot_at: string
        from_at: string | null
        slots: number
        decision: string | null
        reason: string | null
        run_id: string | null
        decided_at: string | null
      }[]
    }
  }
  /** Run it now, apart from its slots. With `If-Match`, only if it is still the version that the ETag names (412). Needs the scope `submit`. Problems of its own: job_not_found, version_changed. */
  "POST /jobs/{id}/trigger": {
    params: {
      /** Its id, or its name. */
      id: string
    }
    body: {
      /** In place of that of the job. */
      payload?: unknown
    }
    answer: {
      run_id: string
    }
  }
  /** What is set, and how much is used. Needs the scope `read`. */
  "GET /limits": {
    answer: {
      limits: {
        /** Null for all queues together. */
        queue: string | null
        concurrency: number | null
        rate: unknown
        ageing_ms: number | null
        weight: number | null
        running: number
        free_at: string | null
        set_at: string
        set_by: string | null
      }[]
    }
  }
  /** Who calls. Any key will do. */
  "GET /me": {
    answer: {
      key_id: string
      key_name: string
      tenant: string | null
      scopes: string[]
    }
  }
  /** Take nothing more from any queue of the tenant. Needs the scope `operate`. */
  "POST /pause": {
    body: {
      /** Why. */
      note?: string | undefined
    }
    answer: {
      queue: string | null
      paused: boolean
      changed: boolean
    }
  }
  /** Every queue: depth, age, pauses. Needs the scope `read`. */
  "GET /queues": {
    answer: {
      queues: {
        queue: string
        paused: boolean
        pause: {
          /** Null when everything is paused. */
          queue: string | null
          paused_at: string
          note: string | null
          paused_by: string | null
        } | null
        /** Due and waiting for a worker; counted to 10,000 a lane. */
        due: number
        /** Due within a minute or so. */
        scheduled: number
        running: number
        /** How long the oldest due run has waited. */
        oldest_ms: number
        ended_last_minute: Record<string, number>
        lanes: {
          handler: string
          priority: number
          paused: boolean
          due: number
          waiting: number
          oldest_ms: number
          running: number
        }[]
      }[]
    }
  }
  /** End the limits of a queue. Needs the scope `operate`. */
  "DELETE /queues/{queue}/limits": {
    params: {
      queue: string
    }
    answer: {
      removed: boolean
    }
  }
  /** Limit a queue, in place of what was set before. Needs the scope `operate`. */
  "PUT /queues/{queue}/limits": {
    params: {
      queue: string
    }
    body: {
      concurrency?: number | undefined
      rate?: {
        limit: number
        per?: string | number | undefined
        burst?: number | undefined
      } | undefined
      ageing_ms?: number | undefined
    }
    answer: {
      limits: {
        /** Null for all queues together. */
        queue: string | null
        concurrency: number | null
        rate: unknown
        ageing_ms: number | null
        weight: number | null
        running: number
        free_at: string | null
        set_at: string
        set_by: string | null
      }[]
    }
  }
  /** Take nothing more from a queue; what runs goes on. Needs the scope `operate`. */
  "POST /queues/{queue}/pause": {
    params: {
      queue: string
    }
    body: {
      /** Why. */
      note?: string | undefined
    }
    answer: {
      queue: string | null
      paused: boolean
      changed: boolean
    }
  }
  /** Take from a queue again. Needs the scope `operate`. */
  "POST /queues/{queue}/resume": {
    params: {
      queue: string
    }
    answer: {
      queue: string | null
      paused: boolean
      changed: boolean
    }
  }
  /** End that; queues that are paused by themselves stay so. Needs the scope `operate`. */
  "POST /resume": {
    answer: {
      queue: string | null
      paused: boolean
      changed: boolean
    }
  }
  /** Runs that match, newest first. A page may be short of `limit` while `next_cursor` goes on: so much was looked at. `complete` tells. Needs the scope `read`. Problems of its own: invalid_cursor, job_not_found. */
  "GET /runs": {
    query: {
      /** Any of these. */
      state?: ("waiting" | "scheduled" | "queued" | "running" | "cancelling" | "succeeded" | "dead" | "cancelled" | "skipped" | "unknown")[] | undefined
      /** The name or the id of a job. */
      job?: string | undefined
      queue?: string | undefined
      handler?: string | undefined
      /** What its key begins with. */
      key_prefix?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      created_from?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      created_to?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      due_from?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      due_to?: string | undefined
      key?: string | undefined
      /** What they died of. */
      fingerprint?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      finished_from?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      finished_to?: string | undefined
      /** `name:value`; several may be given, and all of them must match. */
      label?: string[] | undefined
      /** Seconds, or a duration such as `1h`. */
      running_longer_than?: string | undefined
      /** They are dead, and were neither replayed nor discarded. */
      not_retried?: boolean | undefined
      limit?: number | undefined
      /** `next_cursor` of the page before. */
      cursor?: string | undefined
    }
    answer: {
      runs: {
        id: string
        state: "waiting" | "scheduled" | "queued" | "running" | "cancelling" | "succeeded" | "dead" | "cancelled" | "skipped" | "unknown"
        handler: string
        queue: string
        priority: number
        due_at: string
        created_at: string
        key: string | null
        /** Up to 16 names and values. */
        labels: Record<string, string>
        /** Attempts that were made, without one that goes on. */
        attempt: number
        started_at: string | null
        finished_at: string | null
        worker_id: string | null
        job_id: string | null
        job: string | null
        /** The message of its last error. */
        error: string | null
        fingerprint: string | null
        replayed_as: string | null
      }[]
      next_cursor: string | null
      complete: boolean
    }
  }
  /** Submit a run. Once it is answered the run is committed. No worker need know its handler yet. Needs the scope `submit`. Problems of its own: key_conflict, handler_unknown, quota_exceeded, payload_too_large. */
  "POST /runs": {
    body: {
      /** Which handler is to run it. */
      handler: string
      /** What it is given. */
      payload?: unknown
      /** An instant: ISO 8601 with Z or an offset. */
      run_at?: string | undefined
      /** So long from now: seconds, or a duration such as `10m`. */
      delay?: number | string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      expires_at?: string | undefined
      /** Of live runs only one has it. */
      key?: string | undefined
      on_conflict?: "return" | "replace" | "debounce" | "throttle" | "error" | undefined
      window?: number | string | undefined
      max_wait?: number | string | undefined
      trace?: string | undefined
      /** Refuse when no live worker has it. */
      strict?: boolean | undefined
      /** Up to 16 names and values. */
      labels?: Record<string, string> | undefined
      queue?: string | undefined
      /** Higher first. */
      priority?: number | undefined
      /** Attempts, the first included. */
      max_attempts?: number | undefined
      /** Attempts after the first. */
      max_retries?: number | undefined
      /** When failed attempts are followed by another. */
      retry_policy?: {
        /** Attempts, the first included. */
        max_attempts?: number | undefined
        backoff?: "exponential" | "linear" | "fixed" | {
          kind: "exponential" | "linear" | "fixed" | "list"
          [name: string]: unknown
        } | undefined
        retry_on?: string[] | undefined
        abort_on?: string[] | undefined
      } | undefined
      timeout_seconds?: number | undefined
      /** How long one attempt may take. */
      timeout_ms?: number | undefined
      heartbeat_ms?: number | undefined
      delivery?: "at-least-once" | "at-most-once" | "transactional" | undefined
      concurrency?: {
        /** A text, or `{ "payload": "path" }`. */
        key: unknown
        limit?: number | undefined
      } | undefined
      rate?: {
        /** A text, or `{ "payload": "path" }`. */
        key?: unknown
        limit: number
        per?: string | number | undefined
        burst?: number | undefined
      } | undefined
    }
    answer: {
      id: string
      /** False when a live run has the key; its id is answered. */
      created: boolean
      outcome: "created" | "existing" | "replaced"
    }
  }
  /** Submit up to 10,000 runs, one a line. NDJSON: each line is what POST /runs takes, up to 10000 of them. Needs the scope `submit`. Problems of its own: invalid_request, key_conflict, quota_exceeded. */
  "POST /runs/bulk": {
    query: {
      /** `all`: all or none. `each`: those that are right, with a result for each. */
      mode?: "all" | "each" | undefined
    }
    body: string
    answer: {
      accepted: number
      refused: number
      /** In the order of the lines. */
      items: {
        id?: string | undefined
        name?: string | undefined
        created?: boolean | undefined
        outcome?: string | undefined
        change?: string | undefined
        problem?: {
          type: string
          title: string
          status: number
          detail: string
          /** Stable: programs may compare it. */
          code: string
          request_id: string
          /** The field or parameter that is wrong. */
          field?: string | undefined
          /** The same as a JSON pointer into the body. */
          pointer?: string | undefined
          reason?: string | undefined
          /** The quota that leaves no room, its limit, and what its use would be. */
          quota?: {
            name: string
            limit: number
            used: number
          } | undefined
        } | undefined
      }[]
    }
  }
  /** Cancel all runs that match. One that has moved on meanwhile is left alone. Runs that come later are not meant. Needs the scope `operate`. Problems of its own: job_not_found. */
  "POST /runs/cancel": {
    body: {
      filter?: {
        /** Any of these. */
        state?: ("waiting" | "scheduled" | "queued" | "running" | "cancelling" | "succeeded" | "dead" | "cancelled" | "skipped" | "unknown")[] | undefined
        /** The name or the id of a job. */
        job?: string | undefined
        queue?: string | undefined
        handler?: string | undefined
        /** What its key begins with. */
        key_prefix?: string | undefined
        /** An instant: ISO 8601 with Z or an offset. */
        created_from?: string | undefined
        /** An instant: ISO 8601 with Z or an offset. */
        created_to?: string | undefined
        /** An instant: ISO 8601 with Z or an offset. */
        due_from?: string | undefined
        /** An instant: ISO 8601 with Z or an offset. */
        due_to?: string | undefined
        /** Up to 16 names and values. */
        labels?: Record<string, string> | undefined
        ids?: string[] | undefined
      } | undefined
      /** An empty filter is meant: everything that can be changed so. */
      all?: boolean | undefined
      /** Only count. */
      dry_run?: boolean | undefined
      limit?: number | undefined
      reason?: string | undefined
    }
    answer: {
      dry_run: boolean
      /** How many were dealt with, or would be. */
      matched: number
      /** False when there are more than `limit`: ask again. */
      complete: boolean
      /** Which states they had. */
      states: Record<string, number>
      /** What became of them. */
      answers: Record<string, number>
      /** The ids of the first ten. */
      sample: string[]
    }
  }
  /** How many runs match, by what they are. Needs the scope `read`. Problems of its own: job_not_found. */
  "GET /runs/counts": {
    query: {
      /** Any of these. */
      state?: ("waiting" | "scheduled" | "queued" | "running" | "cancelling" | "succeeded" | "dead" | "cancelled" | "skipped" | "unknown")[] | undefined
      /** The name or the id of a job. */
      job?: string | undefined
      queue?: string | undefined
      handler?: string | undefined
      /** What its key begins with. */
      key_prefix?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      created_from?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      created_to?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      due_from?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      due_to?: string | undefined
      key?: string | undefined
      /** What they died of. */
      fingerprint?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      finished_from?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      finished_to?: string | undefined
      /** `name:value`; several may be given, and all of them must match. */
      label?: string[] | undefined
      /** Seconds, or a duration such as `1h`. */
      running_longer_than?: string | undefined
      /** They are dead, and were neither replayed nor discarded. */
      not_retried?: boolean | undefined
      /** `state`, `job`, `queue`, `handler`, `label:<name>`, `fingerprint` or `day`. */
      by?: string | undefined
    }
    answer: {
      count: number
      /** False when there are more than were counted. */
      exact: boolean
      groups: {
        name: string | null
        count: number
        id?: string | undefined
      }[]
    }
  }
  /** Let all runs that match start now. One that has moved on meanwhile is left alone. Runs that come later are not meant. Needs the scope `operate`. Problems of its own: job_not_found. */
  "POST /runs/promote": {
    body: {
      filter?: {
        /** Any of these. */
        state?: ("waiting" | "scheduled" | "queued" | "running" | "cancelling" | "succeeded" | "dead" | "cancelled" | "skipped" | "unknown")[] | undefined
        /** The name or the id of a job. */
        job?: string | undefined
        queue?: string | undefined
        handler?: string | undefined
        /** What its key begins with. */
        key_prefix?: string | undefined
        /** An instant: ISO 8601 with Z or an offset. */
        created_from?: string | undefined
        /** An instant: ISO 8601 with Z or an offset. */
        created_to?: string | undefined
        /** An instant: ISO 8601 with Z or an offset. */
        due_from?: string | undefined
        /** An instant: ISO 8601 with Z or an offset. */
        due_to?: string | undefined
        /** Up to 16 names and values. */
        labels?: Record<string, string> | undefined
        ids?: string[] | undefined
      } | undefined
      /** An empty filter is meant: everything that can be changed so. */
      all?: boolean | undefined
      /** Only count. */
      dry_run?: boolean | undefined
      limit?: number | undefined
    }
    answer: {
      dry_run: boolean
      /** How many were dealt with, or would be. */
      matched: number
      /** False when there are more than `limit`: ask again. */
      complete: boolean
      /** Which states they had. */
      states: Record<string, number>
      /** What became of them. */
      answers: Record<string, number>
      /** The ids of the first ten. */
      sample: string[]
    }
  }
  /** Give all runs that match another time. One that has moved on meanwhile is left alone. Runs that come later are not meant. Needs the scope `operate`. Problems of its own: job_not_found. */
  "POST /runs/reschedule": {
    body: {
      filter?: {
        /** Any of these. */
        state?: ("waiting" | "scheduled" | "queued" | "running" | "cancelling" | "succeeded" | "dead" | "cancelled" | "skipped" | "unknown")[] | undefined
        /** The name or the id of a job. */
        job?: string | undefined
        queue?: string | undefined
        handler?: string | undefined
        /** What its key begins with. */
        key_prefix?: string | undefined
        /** An instant: ISO 8601 with Z or an offset. */
        created_from?: string | undefined
        /** An instant: ISO 8601 with Z or an offset. */
        created_to?: string | undefined
        /** An instant: ISO 8601 with Z or an offset. */
        due_from?: string | undefined
        /** An instant: ISO 8601 with Z or an offset. */
        due_to?: string | undefined
        /** Up to 16 names and values. */
        labels?: Record<string, string> | undefined
        ids?: string[] | undefined
      } | undefined
      /** An empty filter is meant: everything that can be changed so. */
      all?: boolean | undefined
      /** Only count. */
      dry_run?: boolean | undefined
      limit?: number | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      run_at: string
    }
    answer: {
      dry_run: boolean
      /** How many were dealt with, or would be. */
      matched: number
      /** False when there are more than `limit`: ask again. */
      complete: boolean
      /** Which states they had. */
      states: Record<string, number>
      /** What became of them. */
      answers: Record<string, number>
      /** The ids of the first ten. */
      sample: string[]
    }
  }
  /** Do all runs again that match. Dead ones that were neither replayed nor discarded, and with `state` unknown ones. Those whose key a live run has stay as they are, and are `missed`. Needs the scope `operate`. Problems of its own: job_not_found. */
  "POST /runs/retry": {
    body: {
      filter?: {
        /** Any of these. */
        state?: ("waiting" | "scheduled" | "queued" | "running" | "cancelling" | "succeeded" | "dead" | "cancelled" | "skipped" | "unknown")[] | undefined
        /** The name or the id of a job. */
        job?: string | undefined
        queue?: string | undefined
        handler?: string | undefined
        /** What its key begins with. */
        key_prefix?: string | undefined
        /** An instant: ISO 8601 with Z or an offset. */
        created_from?: string | undefined
        /** An instant: ISO 8601 with Z or an offset. */
        created_to?: string | undefined
        /** An instant: ISO 8601 with Z or an offset. */
        due_from?: string | undefined
        /** An instant: ISO 8601 with Z or an offset. */
        due_to?: string | undefined
        key?: string | undefined
        /** What they died of. */
        fingerprint?: string | undefined
        /** An instant: ISO 8601 with Z or an offset. */
        finished_from?: string | undefined
        /** An instant: ISO 8601 with Z or an offset. */
        finished_to?: string | undefined
        /** Up to 16 names and values. */
        labels?: Record<string, string> | undefined
        ids?: string[] | undefined
      } | undefined
      /** An empty filter is meant: everything that can be changed so. */
      all?: boolean | undefined
      /** Only count. */
      dry_run?: boolean | undefined
      limit?: number | undefined
      /** Why; kept with each. */
      note?: string | undefined
    }
    answer: {
      dry_run: boolean
      /** How many were dealt with, or would be. */
      matched: number
      /** False when there are more than `limit`: ask again. */
      complete: boolean
      retried: number
      /** Somebody was faster, or their key is taken. */
      missed: number
      /** The new runs. */
      run_ids: string[]
    }
  }
  /** A run with its attempts. Needs the scope `read`. Problems of its own: run_not_found. */
  "GET /runs/{id}": {
    params: {
      /** Its id, or its name. */
      id: string
    }
    answer: {
      id: string
      state: "waiting" | "scheduled" | "queued" | "running" | "cancelling" | "succeeded" | "dead" | "cancelled" | "skipped" | "unknown"
      handler: string
      queue: string
      priority: number
      due_at: string
      created_at: string
      key: string | null
      /** Up to 16 names and values. */
      labels: Record<string, string>
      payload: unknown
      max_attempts: number
      timeout_ms: number
      created_by: string | null
      trace: string | null
      /** `id`, `name`, `slot_at`, `missed_from`; null without one. */
      job: unknown
      delivery: string
      policy: unknown
      expires_at: string | null
      replay_of: string | null
      replayed_as: string | null
      edited_at: string | null
      concurrency: unknown
      rate: unknown
      /** Those that have ended, oldest first. */
      attempts: {
        attempt: number
        outcome: string
        started_at: string | null
        ended_at: string
        worker_id: string | null
        error: {
          name: string
          message: string
          stack?: string | undefined
          code?: string | undefined
        } | null
      }[]
      possible_duplicate: boolean
      next_at?: string | null | undefined
      waits_for?: string | null | undefined
      worker_id?: string | null | undefined
      claimed_at?: string | null | undefined
      cancel_reason?: string | null | undefined
      progress?: unknown
      started_at?: string | null | undefined
      finished_at?: string | null | undefined
      output?: unknown
      error?: {
        name: string
        message: string
        stack?: string | undefined
        code?: string | undefined
      } | null | undefined
      reason?: string | null | undefined
      lateness_ms?: number | null | undefined
      resolved?: unknown
    }
  }
  /** Give a run another payload, before its first attempt. Needs the scope `operate`. Problems of its own: run_not_found, already_finished, state_conflict. */
  "PATCH /runs/{id}": {
    params: {
      /** Its id, or its name. */
      id: string
    }
    body: {
      /** In place of its own. */
      payload: unknown
    }
    answer: {
      id: string
      result: string
      state: "waiting" | "scheduled" | "queued" | "running" | "cancelling" | "succeeded" | "dead" | "cancelled" | "skipped" | "unknown"
    }
  }
  /** Cancel a run. One that has not started is `cancelled`. Of one that runs the handler is asked to end: it is `cancelling` until it has, for 30 s at most. To ask again changes nothing. Needs the scope `operate`. Problems of its own: run_not_found, already_finished, state_conflict. */
  "POST /runs/{id}/cancel": {
    params: {
      /** Its id, or its name. */
      id: string
    }
    body: {
      /** Kept with the run. */
      reason?: string | undefined
    }
    answer: {
      id: string
      result: string
      state: "waiting" | "scheduled" | "queued" | "running" | "cancelling" | "succeeded" | "dead" | "cancelled" | "skipped" | "unknown"
    }
  }
  /** Why it is not running now. A run that is due and does not run always has a reason. Workers that work for all are told to a tenant by their ids alone. Needs the scope `read`. Problems of its own: run_not_found. */
  "GET /runs/{id}/explain": {
    params: {
      /** Its id, or its name. */
      id: string
    }
    answer: {
      id: string
      running: boolean
      /** In the order in which they have to go. */
      reasons: {
        /** Such as `not_due`, `paused` or `no_worker`. */
        code: string
        /** The same in words. */
        detail: string
        [name: string]: unknown
      }[]
    }
  }
  /** What it has logged, oldest first. With `Accept: text/event-stream` lines come as they are written: events `log` until the run has ended, then one `end`. `Last-Event-ID` goes on after that line. Needs the scope `read`. Problems of its own: run_not_found, invalid_cursor, too_many_streams. */
  "GET /runs/{id}/logs": {
    params: {
      /** Its id, or its name. */
      id: string
    }
    query: {
      /** `next` of the page before. */
      after?: string | undefined
      limit?: number | undefined
      /** The last so many instead; not together with the others. */
      last?: number | undefined
    }
    answer: {
      lines: {
        attempt: number
        seq: number
        at: string
        level: string
        message: string
        data: unknown
      }[]
      next: string | null
    }
  }
  /** What its handler returned; null unless it succeeded. Needs the scope `read`. Problems of its own: run_not_found. */
  "GET /runs/{id}/output": {
    params: {
      /** Its id, or its name. */
      id: string
    }
    answer: {
      id: string
      state: "waiting" | "scheduled" | "queued" | "running" | "cancelling" | "succeeded" | "dead" | "cancelled" | "skipped" | "unknown"
      output: unknown
    }
  }
  /** Give a run that has not started another priority. Needs the scope `operate`. Problems of its own: run_not_found, already_finished, state_conflict. */
  "POST /runs/{id}/priority": {
    params: {
      /** Its id, or its name. */
      id: string
    }
    body: {
      /** Higher first. */
      priority: number
    }
    answer: {
      id: string
      result: string
      state: "waiting" | "scheduled" | "queued" | "running" | "cancelling" | "succeeded" | "dead" | "cancelled" | "skipped" | "unknown"
    }
  }
  /** Let a run start now whose time has not come. Needs the scope `operate`. Problems of its own: run_not_found, already_finished, state_conflict. */
  "POST /runs/{id}/promote": {
    params: {
      /** Its id, or its name. */
      id: string
    }
    answer: {
      id: string
      result: string
      state: "waiting" | "scheduled" | "queued" | "running" | "cancelling" | "succeeded" | "dead" | "cancelled" | "skipped" | "unknown"
    }
  }
  /** Give a run that has not started another time. Needs the scope `operate`. Problems of its own: run_not_found, already_finished, state_conflict. */
  "POST /runs/{id}/reschedule": {
    params: {
      /** Its id, or its name. */
      id: string
    }
    body: {
      /** An instant: ISO 8601 with Z or an offset. */
      run_at: string
    }
    answer: {
      id: string
      result: string
      state: "waiting" | "scheduled" | "queued" | "running" | "cancelling" | "succeeded" | "dead" | "cancelled" | "skipped" | "unknown"
    }
  }
  /** Say what became of an unknown run. `succeeded`: it was done. `failed`: it was not, and is a dead letter now. `run-again`: a new run does it again. It is said once. Needs the scope `operate`. Problems of its own: run_not_found, state_conflict, already_handled, key_conflict. */
  "POST /runs/{id}/resolve": {
    params: {
      /** Its id, or its name. */
      id: string
    }
    body: {
      as: "succeeded" | "failed" | "run-again"
      /** Why; kept with it. */
      note?: string | undefined
    }
    answer: {
      id: string
      as: string
      /** The new run of `run-again`. */
      run_id: string | null
    }
  }
  /** Do a run again that is dead or unknown. A new run is made, due now; the old one stays as it was, and the two name each other. Needs the scope `operate`. Problems of its own: run_not_found, state_conflict, already_handled, key_conflict. */
  "POST /runs/{id}/retry": {
    params: {
      /** Its id, or its name. */
      id: string
    }
    body: {
      /** Of a dead run: instead of its own. */
      payload?: unknown
      /** Of a dead run: go on from its last checkpoint. */
      from_checkpoint?: boolean | undefined
      /** Why; kept with it. */
      note?: string | undefined
    }
    answer: {
      id: string
      /** The new run. */
      run_id: string
    }
  }
  /** The names of secrets, without their values. Needs the scope `admin`. */
  "GET /secrets": {
    answer: {
      secrets: unknown[]
    }
  }
  /** Remove a secret; runs that ask for it fail. Needs the scope `admin`. */
  "DELETE /secrets/{name}": {
    params: {
      name: string
    }
    answer: {
      removed: boolean
    }
  }
  /** Make a secret, or give it another value. Needs the scope `admin`. */
  "PUT /secrets/{name}": {
    params: {
      name: string
    }
    body: {
      /** A text of at least 8 characters. */
      value: unknown
    }
    answer: {
      name: string
      version: number
    }
  }
  /** How runs ended in the last minutes, by queue and handler. Needs the scope `read`. */
  "GET /stats": {
    query: {
      minutes?: number | undefined
    }
    answer: {
      recent: {
        queue: string
        handler: string
        runs: number
        ended: Record<string, number>
        /** Of those that succeeded, died or were lost; from 0 to 1. */
        success_rate: number | null
      }[]
    }
  }
  /** How runs ended, by day or by job, up to 366 days. Needs the scope `read`. */
  "GET /stats/report": {
    query: {
      by?: "day" | "job" | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      from?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      to?: string | undefined
    }
    answer: {
      rows: {
        /** The day, or the name of the job. */
        name: string | null
        job_id?: string | null | undefined
        runs: number
        ended: Record<string, number>
        /** Of those that succeeded, died or were lost; from 0 to 1. */
        success_rate: number | null
      }[]
      /** What came after this is not counted yet. */
      counted_to: string | null
    }
  }
  /** Tenants, by name. Needs the scope `system`. */
  "GET /tenants": {
    query: {
      after?: string | undefined
      limit?: number | undefined
    }
    answer: {
      tenants: {
        id: number
        name: string
        note: string | null
        /** What is not named is not limited. */
        quotas: unknown
        created_at: string
        created_by: string | null
        suspended_at: string | null
        suspended_by: string | null
        suspended_note: string | null
        erasing_since: string | null
      }[]
    }
  }
  /** Make a tenant. Needs the scope `system`. Problems of its own: tenant_exists. */
  "POST /tenants": {
    body: {
      name: string
      note?: string | undefined
      quotas?: {
        jobs?: number | null | undefined
        payload_bytes?: number | null | undefined
        submissions_per_second?: number | null | undefined
        dispatches_per_second?: number | null | undefined
        concurrent_runs?: number | null | undefined
        log_bytes_per_run?: number | null | undefined
        min_interval_ms?: number | null | undefined
        timeout_ms?: number | null | undefined
        executors?: string[] | null | undefined
      } | undefined
    }
    answer: {
      id: number
      name: string
      note: string | null
      /** What is not named is not limited. */
      quotas: unknown
      created_at: string
      created_by: string | null
      suspended_at: string | null
      suspended_by: string | null
      suspended_note: string | null
      erasing_since: string | null
    }
  }
  /** Erase it and everything of it for good; takes a while. Needs the scope `system`. Problems of its own: tenant_not_found, tenant_protected. */
  "DELETE /tenants/{name}": {
    params: {
      name: string
    }
    query: {
      /** Its name once more. */
      confirm: string
    }
    answer: unknown
  }
  /** A tenant and its quotas. Needs the scope `system`. Problems of its own: tenant_not_found. */
  "GET /tenants/{name}": {
    params: {
      name: string
    }
    answer: {
      id: number
      name: string
      note: string | null
      /** What is not named is not limited. */
      quotas: unknown
      created_at: string
      created_by: string | null
      suspended_at: string | null
      suspended_by: string | null
      suspended_note: string | null
      erasing_since: string | null
    }
  }
  /** Change its note or its quotas; a quota that is null is not limited any more. Needs the scope `system`. Problems of its own: tenant_not_found. */
  "PATCH /tenants/{name}": {
    params: {
      name: string
    }
    body: {
      note?: string | null | undefined
      quotas?: {
        jobs?: number | null | undefined
        payload_bytes?: number | null | undefined
        submissions_per_second?: number | null | undefined
        dispatches_per_second?: number | null | undefined
        concurrent_runs?: number | null | undefined
        log_bytes_per_run?: number | null | undefined
        min_interval_ms?: number | null | undefined
        timeout_ms?: number | null | undefined
        executors?: string[] | null | undefined
      } | undefined
    }
    answer: {
      id: number
      name: string
      note: string | null
      /** What is not named is not limited. */
      quotas: unknown
      created_at: string
      created_by: string | null
      suspended_at: string | null
      suspended_by: string | null
      suspended_note: string | null
      erasing_since: string | null
    }
  }
  /** Everything that it has declared, and its runs of a range, one a line (NDJSON). Needs the scope `system`. Problems of its own: tenant_not_found. */
  "GET /tenants/{name}/export": {
    params: {
      name: string
    }
    query: {
      /** An instant: ISO 8601 with Z or an offset. */
      from?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      to?: string | undefined
    }
    answer: unknown
  }
  /** Go on. Needs the scope `system`. Problems of its own: tenant_not_found. */
  "POST /tenants/{name}/resume": {
    params: {
      name: string
    }
    answer: {
      id: number
      name: string
      note: string | null
      /** What is not named is not limited. */
      quotas: unknown
      created_at: string
      created_by: string | null
      suspended_at: string | null
      suspended_by: string | null
      suspended_note: string | null
      erasing_since: string | null
    }
  }
  /** Accept nothing for it and run nothing of it, until it is resumed. Needs the scope `system`. Problems of its own: tenant_not_found. */
  "POST /tenants/{name}/suspend": {
    params: {
      name: string
    }
    body: {
      note?: string | undefined
    }
    answer: {
      id: number
      name: string
      note: string | null
      /** What is not named is not limited. */
      quotas: unknown
      created_at: string
      created_by: string | null
      suspended_at: string | null
      suspended_by: string | null
      suspended_note: string | null
      erasing_since: string | null
    }
  }
  /** What it has used, day by day (UTC). Needs the scope `system`. Problems of its own: tenant_not_found. */
  "GET /tenants/{name}/usage": {
    params: {
      name: string
    }
    query: {
      /** An instant: ISO 8601 with Z or an offset. */
      from?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      to?: string | undefined
    }
    answer: {
      days: {
        day: string
        /** Runs that were due on it. */
        runs: number
        succeeded: number
        ended_otherwise: number
        attempts: number
        run_seconds: number
        payload_bytes: number
        output_bytes: number
        log_bytes: number
      }[]
    }
  }
  /** Processes that take runs. With a key of the installation all of them, also those that left in the last day. With that of a tenant those that work for it alone. Needs the scope `read`. */
  "GET /workers": {
    answer: {
      workers: {
        id: string
        state: string
        host: string
        pid: number
        version: string
        capacity: number
        handlers: string[]
        queues: string[]
        labels: Record<string, string>
        running: number
        /** How many runs it ended in the last hour, by state. */
        ended_last_hour: Record<string, number>
        /** Of the last hour: those that died or were lost among those that succeeded, died or were lost; from 0 to 1, null when there is none. Attempts that are tried again do not count. */
        failure_rate: number | null
        stuck: unknown
        opened_at: string
        renewed_at: string | null
        drain_asked_at: string | null
        ended_at: string | null
        fenced: boolean
      }[]
    }
  }
  /** Take runs again. With a key of the installation any worker, with that of a tenant one that works for it alone. Needs the scope `operate`. Problems of its own: worker_not_found. */
  "POST /workers/{id}/activate": {
    params: {
      id: string
    }
    answer: {
      id: string
      changed: boolean
    }
  }
  /** Take nothing more; what runs is finished. With a key of the installation any worker, with that of a tenant one that works for it alone. Needs the scope `operate`. Problems of its own: worker_not_found. */
  "POST /workers/{id}/drain": {
    params: {
      id: string
    }
    answer: {
      id: string
      changed: boolean
    }
  }
}
