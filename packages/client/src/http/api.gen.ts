/**
 * Generated from the OpenAPI document of packages/api by `npm run client:types`: the input and the
 * answer of each route, in the names of the wire.
 */

export interface Operations {
  /** Streams runs of the tenant as they end. Server-sent events: `run.dead`, `run.cancelled`, `run.skipped`, `run.unknown`; for keys of the installation also `worker.lost`. `Last-Event-ID` resumes an ended stream, up to a day back. Delivery is at least once: events of the last seconds before the end may be sent again. A comment every 15 s shows that the stream is alive. Requires the scope `read`. Specific problems: too_many_streams, invalid_cursor. */
  "GET /activity": {
    query: {
      /** Only events of these types. */
      types?: string[] | undefined
    }
    answer: unknown
  }
  /** Lists API keys, without their secrets. Requires the scope `admin`. */
  "GET /api-keys": {
    query: {
      after?: string | undefined
      limit?: number | undefined
    }
    answer: {
      api_keys: {
        id: string
        name: string
        /** Identifies the key, but does not authenticate. */
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
  /** Creates an API key, which is shown only in this answer. Requires the scope `admin`. */
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
      /** Identifies the key, but does not authenticate. */
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
      /** Shown only once; null when an idempotent request is repeated. */
      key: string | null
    }
  }
  /** Revokes an API key, on every node within seconds. Requires the scope `admin`. Specific problems: api_key_not_found. */
  "DELETE /api-keys/{id}": {
    params: {
      id: string
    }
    answer: {
      id: string
      name: string
      /** Identifies the key, but does not authenticate. */
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
  /** Creates a key that replaces this one, which stays valid for the overlap. Requires the scope `admin`. Specific problems: api_key_not_found. */
  "POST /api-keys/{id}/rotate": {
    params: {
      id: string
    }
    body: {
      /** How long the old key stays valid. Default: one day. */
      overlap_ms?: number | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      expires_at?: string | undefined
    }
    answer: {
      id: string
      name: string
      /** Identifies the key, but does not authenticate. */
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
      /** Shown only once; null when an idempotent request is repeated. */
      key: string | null
    }
  }
  /** Lists audit entries, newest first. Covers the tenant of the key, or the one named by `X-Punctual-Tenant`. A key of the installation that names no tenant gets the entries of all tenants and of the installation. Requires the scope `admin`. */
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
      /** `next_after` of the previous page. */
      after?: string | undefined
      limit?: number | undefined
    }
    answer: {
      entries: {
        id: string
        /** The tenant; null for the installation. */
        tenant_id: number | null
        at: string
        actor: unknown
        action: string
        target: unknown
        before: unknown
        after: unknown
        note: string | null
        /** Its position in the chain; null until sealed. */
        seq: number | null
        hash: string | null
      }[]
      next_after: string | null
    }
  }
  /** Verifies that the audit log was not altered. Covers the tenant of the key, or the one named by `X-Punctual-Tenant`. A key of the installation that names no tenant gets every chain. Requires the scope `admin`. */
  "GET /audit/verify": {
    answer: {
      clean: boolean
      chains: unknown[]
    }
  }
  /** Lists calendars by name. Requires the scope `read`. */
  "GET /calendars": {
    query: {
      /** The `next` of the page before. */
      after?: string | undefined
    }
    answer: {
      calendars: {
        name: string
        calendar: unknown
      }[]
      /** Where the next page starts; null at the end. */
      next: string | null
    }
  }
  /** Deletes a calendar that no job refers to. Requires the scope `operate`. Specific problems: calendar_in_use. */
  "DELETE /calendars/{name}": {
    params: {
      name: string
    }
    answer: {
      removed: boolean
    }
  }
  /** Returns a calendar. Requires the scope `read`. Specific problems: calendar_not_found. */
  "GET /calendars/{name}": {
    params: {
      name: string
    }
    answer: {
      name: string
      calendar: unknown
    }
  }
  /** Creates or replaces a calendar; it applies to every undecided slot. Requires the scope `operate`. Specific problems: invalid_calendar, invalid_timezone, quota_exceeded. */
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
  /** Lists dead letters, the last to die first. Requires the scope `read`. Specific problems: invalid_cursor, job_not_found. */
  "GET /dead-letters": {
    query: {
      queue?: string | undefined
      handler?: string | undefined
      /** The name or the id of a job. */
      job?: string | undefined
      /** The fingerprint of their error. */
      fingerprint?: string | undefined
      reason?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      died_from?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      died_before?: string | undefined
      /** Whether they were handled. */
      state?: "open" | "handled" | "all" | undefined
      limit?: number | undefined
      /** `next_cursor` of the previous page. */
      cursor?: string | undefined
    }
    answer: {
      dead_letters: {
        /** The id of the run that died. */
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
  /** Lists dead letters by cause, the largest cause first. Requires the scope `read`. Specific problems: job_not_found. */
  "GET /dead-letters/causes": {
    query: {
      queue?: string | undefined
      handler?: string | undefined
      /** The name or the id of a job. */
      job?: string | undefined
      /** The fingerprint of their error. */
      fingerprint?: string | undefined
      reason?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      died_from?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      died_before?: string | undefined
      /** Whether they were handled. */
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
  /** Discards all open dead letters that match. Requires the scope `operate`. Specific problems: job_not_found. */
  "POST /dead-letters/discard": {
    body: {
      filter?: {
        queue?: string | undefined
        handler?: string | undefined
        /** The name or the id of a job. */
        job?: string | undefined
        /** The fingerprint of their error. */
        fingerprint?: string | undefined
        reason?: string | undefined
        /** An instant: ISO 8601 with Z or an offset. */
        died_from?: string | undefined
        /** An instant: ISO 8601 with Z or an offset. */
        died_before?: string | undefined
      } | undefined
      /** Allows an empty filter, which matches every run. */
      all?: boolean | undefined
      /** Only counts. */
      dry_run?: boolean | undefined
      limit?: number | undefined
      /** The reason; stored with each. */
      reason: string
    }
    answer: {
      dry_run: boolean
      /** Runs that were changed, or would be. */
      matched: number
      /** False when more than `limit` match: repeat the request. */
      complete: boolean
      discarded: number
    }
  }
  /** Replays all open dead letters that match. At full speed and in one transaction; the library can limit the rate. Requires the scope `operate`. Specific problems: job_not_found. */
  "POST /dead-letters/replay": {
    body: {
      filter?: {
        queue?: string | undefined
        handler?: string | undefined
        /** The name or the id of a job. */
        job?: string | undefined
        /** The fingerprint of their error. */
        fingerprint?: string | undefined
        reason?: string | undefined
        /** An instant: ISO 8601 with Z or an offset. */
        died_from?: string | undefined
        /** An instant: ISO 8601 with Z or an offset. */
        died_before?: string | undefined
      } | undefined
      /** Allows an empty filter, which matches every run. */
      all?: boolean | undefined
      /** Only counts. */
      dry_run?: boolean | undefined
      limit?: number | undefined
      from_checkpoint?: boolean | undefined
      /** The reason; stored with each. */
      note?: string | undefined
    }
    answer: {
      dry_run: boolean
      /** Runs that were changed, or would be. */
      matched: number
      /** False when more than `limit` match: repeat the request. */
      complete: boolean
      replayed: number
      already_handled: number
      /** Still open, because a live run has their key. */
      key_busy: number
      /** The new runs. */
      run_ids: string[]
    }
  }
  /** Returns a dead letter with its run, the end of its log and its last checkpoint. Requires the scope `read`. Specific problems: dead_letter_not_found. */
  "GET /dead-letters/{id}": {
    params: {
      /** The id or the name. */
      id: string
    }
    answer: {
      /** The id of the run that died. */
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
        state: "waiting" | "scheduled" | "queued" | "running" | "cancelling" | "awaiting" | "succeeded" | "dead" | "cancelled" | "skipped" | "unknown"
        handler: string
        queue: string
        priority: number
        due_at: string
        created_at: string
        key: string | null
        /** Up to 16 names and values. */
        labels: Record<string, string>
        /** What performs its runs: `kind`, and the members of that kind. */
        target: Record<string, unknown>
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
        /** Finished attempts, oldest first. */
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
  /** Discards a dead letter without running it again. Requires the scope `operate`. Specific problems: dead_letter_not_found, already_handled, key_conflict. */
  "POST /dead-letters/{id}/discard": {
    params: {
      /** The id or the name. */
      id: string
    }
    body: {
      /** The reason; stored with it. */
      reason: string
    }
    answer: {
      id: string
      result: "discarded"
    }
  }
  /** Replays a dead letter as a new run, due now. Requires the scope `operate`. Specific problems: dead_letter_not_found, already_handled, key_conflict. */
  "POST /dead-letters/{id}/replay": {
    params: {
      /** The id or the name. */
      id: string
    }
    body: {
      /** Replaces the payload. */
      payload?: unknown
      from_checkpoint?: boolean | undefined
      /** The reason; stored with it. */
      note?: string | undefined
    }
    answer: {
      id: string
      /** The new run. */
      run_id: string
    }
  }
  /** Lists groups, newest first. Requires the scope `read`. */
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
  /** Submits runs as a group. Requires the scope `submit`. */
  "POST /groups": {
    body: {
      name?: string | undefined
      runs: {
        /** The handler that runs it, unless `target` does. */
        handler?: string | undefined
        /** The payload that the handler gets. */
        payload?: unknown
        /** Run at this time. ISO 8601 with Z or an offset. */
        run_at?: string | undefined
        /** Run this long from now: seconds, or a duration such as `10m`. */
        delay?: number | string | undefined
        /** Do not start after this time. ISO 8601 with Z or an offset. */
        expires_at?: string | undefined
        /** 0 to 10, higher first. */
        priority?: number | undefined
        /** The queue. */
        queue?: string | undefined
        /** Attempts, including the first. */
        max_attempts?: number | undefined
        /** Attempts after the first. */
        max_retries?: number | undefined
        /** When a failed attempt is retried. */
        retry_policy?: {
          /** Attempts, including the first. */
          max_attempts?: number | undefined
          /** The delay before the next attempt. */
          backoff?: "exponential" | "linear" | "fixed" | {
            kind: "exponential" | "linear" | "fixed" | "list"
            [name: string]: unknown
          } | undefined
          /** Retry only these: failed, timed_out, crashed, error codes. */
          retry_on?: string[] | undefined
          /** Never retry these error names or codes. */
          abort_on?: string[] | undefined
        } | undefined
        /** Time limit of one attempt, in seconds. */
        timeout_seconds?: number | undefined
        /** Time limit of one attempt. */
        timeout_ms?: number | undefined
        /** Up to 16 names and values. */
        labels?: Record<string, string> | undefined
        /** Refuse when no live worker has the handler. */
        strict?: boolean | undefined
        /** Allow one live run with this key. */
        key?: string | undefined
        /** When the key is taken. */
        on_conflict?: "return" | "replace" | "debounce" | "throttle" | "error" | undefined
        /** Time window of debounce, throttle and return. */
        window?: number | string | undefined
        /** Debounce: run at most this long after the first submission. */
        max_wait?: number | string | undefined
        /** Delivery guarantee. */
        delivery?: "at-least-once" | "at-most-once" | "transactional" | undefined
        /** Longest time between heartbeats of the handler. */
        heartbeat_ms?: number | undefined
        /** How many runs with the same key may run at the same time. */
        concurrency?: {
          /** Limit how many runs with this key run at the same time. A string, or `{ "payload": "path" }`. */
          key: unknown
          /** The limit for the concurrency key. */
          limit?: number | undefined
        } | undefined
        /** How many runs with the same key may start per unit of time. */
        rate?: {
          /** Limit how many runs start. */
          limit: number
          /** The unit of time of the rate. */
          per?: "second" | "minute" | "hour" | "day" | number | undefined
          /** Runs with this key share the rate. A string, or `{ "payload": "path" }`. */
          key?: unknown
          /** How many may start at once. */
          burst?: number | undefined
        } | undefined
        /** What performs the run instead of a handler. */
        target?: {
          kind: "handler"
          /** The name of the handler. */
          name: string
        } | {
          kind: "http"
          /** Send an HTTP request to this URL. */
          url: string
          /** The method. */
          method?: string | undefined
          /** A header of the request. */
          headers?: Record<string, string> | undefined
          /** The body: a string is sent as text, other JSON as JSON. */
          body?: unknown
          /** A secret that signs the request, as Standard Webhooks says. */
          signing_secrets?: string[] | undefined
          /** Which responses are successes. */
          success?: {
            /** Status codes that are successes. */
            status?: string | undefined
            /** A text that the body of a success contains. */
            body_contains?: string | undefined
            /** A text that the body of a success does not contain. */
            body_excludes?: string | undefined
          } | undefined
          /** Status codes after which the run is retried. */
          retry_status?: string | undefined
          /** How long the connection may take. */
          connect_timeout_ms?: number | undefined
          /** How long the headers of the response may take. */
          headers_timeout_ms?: number | undefined
          /** How long the body of the response may pause. */
          idle_timeout_ms?: number | undefined
          /** How long the whole request may take. */
          total_timeout_ms?: number | undefined
          /** How many bytes of the response are read. */
          response_bytes?: number | undefined
          /** Decode a compressed response. */
          decompress?: boolean | undefined
          /** How long the target may take to report the outcome after a 202. */
          await_ms?: number | undefined
          /** How many redirects within the origin are followed. */
          redirects?: number | undefined
        } | {
          kind: "shell"
          /** The program and its arguments. */
          command: string[]
          /** Whether /bin/sh interprets the command. */
          shell?: boolean | undefined
          /** An environment variable of the command. */
          env?: Record<string, string> | undefined
          /** The working directory. */
          cwd?: string | undefined
          /** What it reads from its standard input. */
          input?: string | undefined
          /** The permissions that new files do not get, in octal. */
          umask?: string | undefined
          /** Exit codes after which the run is not retried. */
          no_retry_codes?: string | undefined
          /** How much of the output the log gets. */
          output_bytes?: number | undefined
          /** The memory of all its processes, in MiB. */
          memory_mb?: number | undefined
          /** The size of each file that it writes, in MiB. */
          file_mb?: number | undefined
          /** How many processes it may have. */
          processes?: number | undefined
          /** Whether it can reach the network. */
          network?: boolean | undefined
        } | {
          kind: "ssh"
          /** Run a command on this host. */
          host: string
          /** The user on the host. */
          user: string
          /** The program and its arguments. */
          command: string[]
          /** The secret with the private key. */
          key: string
          /** The keys of the host, as ssh-keyscan prints them. */
          known_hosts: string
          /** The port. */
          port?: number | undefined
          /** An environment variable of the command. */
          env?: Record<string, string> | undefined
          /** The working directory on the host. */
          cwd?: string | undefined
          /** How long the connection may take. */
          connect_timeout_ms?: number | undefined
          /** Exit codes after which the run is not retried. */
          no_retry_codes?: string | undefined
          /** How much of the output the log gets. */
          output_bytes?: number | undefined
        } | {
          kind: "grpc"
          /** Call a gRPC service at this host and port. */
          address: string
          /** The full name of the service. */
          service: string
          /** The method, which must be unary. */
          method: string
          /** The request, as JSON. */
          message?: unknown
          /** Metadata of the call. */
          metadata?: Record<string, string> | undefined
          /** A FileDescriptorSet in base64, as protoc writes it. */
          descriptor?: string | undefined
          /** Whether the connection is encrypted. */
          tls?: boolean | undefined
          /** The secret with the certificates to trust. */
          ca_secret?: string | undefined
          /** The secret with the client's certificate. */
          cert_secret?: string | undefined
          /** The secret with the key of the client's certificate. */
          key_secret?: string | undefined
          /** The deadline of the call. */
          deadline_ms?: number | undefined
          /** How long the connection may take. */
          connect_timeout_ms?: number | undefined
          /** The largest response, in bytes. */
          response_bytes?: number | undefined
        } | undefined
        /** W3C trace context (traceparent), passed to the handler. */
        trace?: string | undefined
      }[]
      /** Runs can be added until it is closed. */
      open?: boolean | undefined
      on_done?: {
        handler: string
        /** Its own payload. */
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
  /** Returns the progress of a group. Requires the scope `read`. Specific problems: group_not_found. */
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
  /** Closes a group to further runs; its callback runs when all have ended. Requires the scope `submit`. Specific problems: group_not_found. */
  "POST /groups/{id}/close": {
    params: {
      id: string
    }
    answer: {
      /** False when it was already closed. */
      closed: boolean
    }
  }
  /** Lists the runs of a group. Requires the scope `read`. Specific problems: group_not_found. */
  "GET /groups/{id}/runs": {
    params: {
      id: string
    }
    query: {
      /** Starts at this place. */
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
  /** Returns the guarantees that this server provides now, and what weakens the others. The answer is at most five seconds old. A key of a tenant gets the verdicts, a key of the installation also `causes`, `weaknesses`, `notes` and `facts`. Requires the scope `read`. */
  "GET /guarantees": {
    answer: {
      verdict: "holds" | "weakened"
      guarantees: {
        promise: string
        title: string
        verdict: "holds" | "weakened"
        causes?: string[] | undefined
      }[]
      weaknesses?: unknown
      notes?: string[] | undefined
      facts?: unknown
    }
  }
  /** Lists jobs. Requires the scope `read`. Specific problems: invalid_cursor. */
  "GET /jobs": {
    query: {
      limit?: number | undefined
      /** `next_cursor` of the previous page. */
      cursor?: string | undefined
      /** From 1; `cursor` reaches further. */
      page?: number | undefined
      status?: "scheduled" | "queued" | "running" | "waiting_dependencies" | "paused" | "cancelling" | "cancelled" | "completed" | "failed" | "dead_letter" | undefined
      /** The prefix of their names. */
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
        /** What performs its runs: `kind`, and the members of that kind. */
        target: Record<string, unknown>
        queue: string
        priority: number
        payload: unknown
        schedule: string | null
        timezone: string | null
        /** The complete schedule and the policies for its slots. */
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
      /** Exact up to 10,000. */
      total: number
      total_exact: boolean
      page: number | null
      next_cursor: string | null
    }
  }
  /** Creates a job. At most one of `schedule`, `every_after_end`, `run_at` and `delay` says when it runs; without any of them it runs now. Its handler need not exist on a worker yet. The name of a one-time job that has ended is free: the new job replaces it, and its runs are kept. Requires the scope `operate`. Specific problems: job_exists, invalid_schedule, invalid_timezone, never_fires, quota_exceeded. */
  "POST /jobs": {
    body: {
      name: string
      /** The handler of its runs. Default: its name, unless `target` is given. */
      handler?: string | undefined
      /** The payload of its runs. */
      payload?: unknown
      /** When it fires: a cron expression, or an interval such as `every 5m`, `PT1H` or `R5/…/PT1H`. */
      schedule?: string | undefined
      /** Wait this long after the previous run ends. */
      every_after_end?: string | undefined
      /** Run once at this time. ISO 8601 with Z or an offset. */
      run_at?: string | undefined
      /** Run once, this long from now: seconds, or a duration such as `10m`. */
      delay?: number | string | undefined
      /** Time zone, such as Europe/Berlin. */
      timezone?: string | undefined
      /** No slots before this time. ISO 8601 with Z or an offset. */
      start_at?: string | undefined
      /** No slots at or after this time. ISO 8601 with Z or an offset. */
      end_at?: string | undefined
      /** Stop after this many runs. */
      max_runs?: number | undefined
      /** Delay runs by a fixed part of this. */
      jitter_ms?: number | undefined
      /** No jitter, regardless of the setting jitterMs. */
      exact?: boolean | undefined
      /** Run only when this calendar allows it. */
      calendars?: string[] | undefined
      /** How clock changes affect fixed times of day. */
      dst?: {
        /** Local times that do not exist when clocks go forward. */
        gap?: "run-after" | "shift" | "skip" | undefined
        /** Local times that occur twice when clocks go back. */
        fold?: "first" | "last" | "both" | undefined
      } | undefined
      /** How day of month and weekday combine. */
      day_rule?: "or" | "and" | undefined
      /** What happens to slots missed in an outage. */
      misfire?: "all" | "latest" | "none" | {
        /** Slots missed while no planner ran. */
        policy?: "all" | "latest" | "none" | undefined
        /** A slot this late counts as missed. */
        grace_ms?: number | undefined
        /** All: older slots become one run. */
        max_age_ms?: number | undefined
        /** All: at most this many single runs. */
        max_count?: number | undefined
        /** Pause between catch-up runs. */
        drip_ms?: number | undefined
      } | undefined
      /** When the previous run is still running. */
      overlap?: "allow" | "skip" | "queue-one" | "queue-all" | "cancel-previous" | "terminate-previous" | undefined
      /** Pause the job after this many dead runs in a row. */
      pause_after_failures?: number | undefined
      /** What the job is for. */
      description?: string | undefined
      /** Who is responsible for it. */
      owner?: string | undefined
      /** 0 to 10, higher first. */
      priority?: number | undefined
      /** Queue of its runs. */
      queue?: string | undefined
      /** Attempts for each run, including the first. */
      max_attempts?: number | undefined
      /** Attempts after the first. */
      max_retries?: number | undefined
      /** When a failed attempt is retried. */
      retry_policy?: {
        /** Attempts, including the first. */
        max_attempts?: number | undefined
        /** The delay before the next attempt. */
        backoff?: "exponential" | "linear" | "fixed" | {
          kind: "exponential" | "linear" | "fixed" | "list"
          [name: string]: unknown
        } | undefined
        /** Retry only these: failed, timed_out, crashed, error codes. */
        retry_on?: string[] | undefined
        /** Never retry these error names or codes. */
        abort_on?: string[] | undefined
      } | undefined
      /** Time limit of one attempt, in seconds. */
      timeout_seconds?: number | undefined
      /** Time limit of one attempt. */
      timeout_ms?: number | undefined
      /** Up to 16 names and values. */
      labels?: Record<string, string> | undefined
      /** Delivery guarantee. */
      delivery?: "at-least-once" | "at-most-once" | "transactional" | undefined
      /** Longest time between heartbeats of the handler. */
      heartbeat_ms?: number | undefined
      /** How many runs with the same key may run at the same time. */
      concurrency?: {
        /** Limit how many runs with this key run at the same time. A string, or `{ "payload": "path" }`. */
        key: unknown
        /** The limit for the concurrency key. */
        limit?: number | undefined
      } | undefined
      /** How many runs with the same key may start per unit of time. */
      rate?: {
        /** Limit how many runs start. */
        limit: number
        /** The unit of time of the rate. */
        per?: "second" | "minute" | "hour" | "day" | number | undefined
        /** Runs with this key share the rate. A string, or `{ "payload": "path" }`. */
        key?: unknown
        /** How many may start at once. */
        burst?: number | undefined
      } | undefined
      /** What performs the run instead of a handler. */
      target?: {
        kind: "handler"
        /** The name of the handler. */
        name: string
      } | {
        kind: "http"
        /** Send an HTTP request to this URL. */
        url: string
        /** The method. */
        method?: string | undefined
        /** A header of the request. */
        headers?: Record<string, string> | undefined
        /** The body: a string is sent as text, other JSON as JSON. */
        body?: unknown
        /** A secret that signs the request, as Standard Webhooks says. */
        signing_secrets?: string[] | undefined
        /** Which responses are successes. */
        success?: {
          /** Status codes that are successes. */
          status?: string | undefined
          /** A text that the body of a success contains. */
          body_contains?: string | undefined
          /** A text that the body of a success does not contain. */
          body_excludes?: string | undefined
        } | undefined
        /** Status codes after which the run is retried. */
        retry_status?: string | undefined
        /** How long the connection may take. */
        connect_timeout_ms?: number | undefined
        /** How long the headers of the response may take. */
        headers_timeout_ms?: number | undefined
        /** How long the body of the response may pause. */
        idle_timeout_ms?: number | undefined
        /** How long the whole request may take. */
        total_timeout_ms?: number | undefined
        /** How many bytes of the response are read. */
        response_bytes?: number | undefined
        /** Decode a compressed response. */
        decompress?: boolean | undefined
        /** How long the target may take to report the outcome after a 202. */
        await_ms?: number | undefined
        /** How many redirects within the origin are followed. */
        redirects?: number | undefined
      } | {
        kind: "shell"
        /** The program and its arguments. */
        command: string[]
        /** Whether /bin/sh interprets the command. */
        shell?: boolean | undefined
        /** An environment variable of the command. */
        env?: Record<string, string> | undefined
        /** The working directory. */
        cwd?: string | undefined
        /** What it reads from its standard input. */
        input?: string | undefined
        /** The permissions that new files do not get, in octal. */
        umask?: string | undefined
        /** Exit codes after which the run is not retried. */
        no_retry_codes?: string | undefined
        /** How much of the output the log gets. */
        output_bytes?: number | undefined
        /** The memory of all its processes, in MiB. */
        memory_mb?: number | undefined
        /** The size of each file that it writes, in MiB. */
        file_mb?: number | undefined
        /** How many processes it may have. */
        processes?: number | undefined
        /** Whether it can reach the network. */
        network?: boolean | undefined
      } | {
        kind: "ssh"
        /** Run a command on this host. */
        host: string
        /** The user on the host. */
        user: string
        /** The program and its arguments. */
        command: string[]
        /** The secret with the private key. */
        key: string
        /** The keys of the host, as ssh-keyscan prints them. */
        known_hosts: string
        /** The port. */
        port?: number | undefined
        /** An environment variable of the command. */
        env?: Record<string, string> | undefined
        /** The working directory on the host. */
        cwd?: string | undefined
        /** How long the connection may take. */
        connect_timeout_ms?: number | undefined
        /** Exit codes after which the run is not retried. */
        no_retry_codes?: string | undefined
        /** How much of the output the log gets. */
        output_bytes?: number | undefined
      } | {
        kind: "grpc"
        /** Call a gRPC service at this host and port. */
        address: string
        /** The full name of the service. */
        service: string
        /** The method, which must be unary. */
        method: string
        /** The request, as JSON. */
        message?: unknown
        /** Metadata of the call. */
        metadata?: Record<string, string> | undefined
        /** A FileDescriptorSet in base64, as protoc writes it. */
        descriptor?: string | undefined
        /** Whether the connection is encrypted. */
        tls?: boolean | undefined
        /** The secret with the certificates to trust. */
        ca_secret?: string | undefined
        /** The secret with the client's certificate. */
        cert_secret?: string | undefined
        /** The secret with the key of the client's certificate. */
        key_secret?: string | undefined
        /** The deadline of the call. */
        deadline_ms?: number | undefined
        /** How long the connection may take. */
        connect_timeout_ms?: number | undefined
        /** The largest response, in bytes. */
        response_bytes?: number | undefined
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
  /** Creates or updates up to 10,000 jobs, one per line. NDJSON: each line is a body of POST /jobs. An existing job of that name is updated. Requires the scope `operate`. Specific problems: invalid_request, invalid_schedule, quota_exceeded. */
  "POST /jobs/bulk": {
    query: {
      /** `all`: all lines or none. `each`: the valid lines, with a result for each. */
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
          /** The field as a JSON pointer into the body. */
          pointer?: string | undefined
          reason?: string | undefined
          /** The exhausted quota, its limit, and the use that the request would cause. */
          quota?: {
            name: string
            limit: number
            used: number
          } | undefined
        } | undefined
      }[]
    }
  }
  /** Deletes a job and frees its name. Cancels all of its runs that have not started, including backfills, triggered runs and runs for missed slots. Running ones are asked to end, unless `running` is `finish`. The history is kept. With `If-Match`, only while the job has the version of the ETag (412). Requires the scope `operate`. Specific problems: job_not_found, version_changed, already_finished. */
  "DELETE /jobs/{id}": {
    params: {
      /** The id or the name. */
      id: string
    }
    query: {
      running?: "cancel" | "finish" | undefined
    }
    answer: {
      id: string
      status: "cancelled"
      /** Runs cancelled or asked to end. */
      cancelled_runs: number
    }
  }
  /** Returns a job and its latest run. Requires the scope `read`. Specific problems: job_not_found. */
  "GET /jobs/{id}": {
    params: {
      /** The id or the name. */
      id: string
    }
    answer: {
      id: string
      name: string
      status: "scheduled" | "queued" | "running" | "waiting_dependencies" | "paused" | "cancelling" | "cancelled" | "completed" | "failed" | "dead_letter"
      next_run_at: string | null
      handler: string
      /** What performs its runs: `kind`, and the members of that kind. */
      target: Record<string, unknown>
      queue: string
      priority: number
      payload: unknown
      schedule: string | null
      timezone: string | null
      /** The complete schedule and the policies for its slots. */
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
  /** Updates some members of a job. With `If-Match`, only while the job has the version of the ETag (412). Requires the scope `operate`. Specific problems: job_not_found, version_changed, invalid_schedule. */
  "PATCH /jobs/{id}": {
    params: {
      /** The id or the name. */
      id: string
    }
    body: {
      /** The handler of its runs. Default: its name, unless `target` is given. */
      handler?: string | undefined
      /** The payload of its runs. */
      payload?: unknown
      /** When it fires: a cron expression, or an interval such as `every 5m`, `PT1H` or `R5/…/PT1H`. */
      schedule?: string | undefined
      /** Wait this long after the previous run ends. */
      every_after_end?: string | undefined
      /** Run once at this time. ISO 8601 with Z or an offset. */
      run_at?: string | undefined
      /** Run once, this long from now: seconds, or a duration such as `10m`. */
      delay?: number | string | undefined
      /** Time zone, such as Europe/Berlin. */
      timezone?: string | undefined
      /** No slots before this time. ISO 8601 with Z or an offset. */
      start_at?: string | undefined
      /** No slots at or after this time. ISO 8601 with Z or an offset. */
      end_at?: string | undefined
      /** Stop after this many runs. */
      max_runs?: number | undefined
      /** Delay runs by a fixed part of this. */
      jitter_ms?: number | undefined
      /** No jitter, regardless of the setting jitterMs. */
      exact?: boolean | undefined
      /** Run only when this calendar allows it. */
      calendars?: string[] | undefined
      /** How clock changes affect fixed times of day. */
      dst?: {
        /** Local times that do not exist when clocks go forward. */
        gap?: "run-after" | "shift" | "skip" | undefined
        /** Local times that occur twice when clocks go back. */
        fold?: "first" | "last" | "both" | undefined
      } | undefined
      /** How day of month and weekday combine. */
      day_rule?: "or" | "and" | undefined
      /** What happens to slots missed in an outage. */
      misfire?: "all" | "latest" | "none" | {
        /** Slots missed while no planner ran. */
        policy?: "all" | "latest" | "none" | undefined
        /** A slot this late counts as missed. */
        grace_ms?: number | undefined
        /** All: older slots become one run. */
        max_age_ms?: number | undefined
        /** All: at most this many single runs. */
        max_count?: number | undefined
        /** Pause between catch-up runs. */
        drip_ms?: number | undefined
      } | undefined
      /** When the previous run is still running. */
      overlap?: "allow" | "skip" | "queue-one" | "queue-all" | "cancel-previous" | "terminate-previous" | undefined
      /** Pause the job after this many dead runs in a row. */
      pause_after_failures?: number | undefined
      /** What the job is for. */
      description?: string | undefined
      /** Who is responsible for it. */
      owner?: string | undefined
      /** 0 to 10, higher first. */
      priority?: number | undefined
      /** Queue of its runs. */
      queue?: string | undefined
      /** Attempts for each run, including the first. */
      max_attempts?: number | undefined
      /** Attempts after the first. */
      max_retries?: number | undefined
      /** When a failed attempt is retried. */
      retry_policy?: {
        /** Attempts, including the first. */
        max_attempts?: number | undefined
        /** The delay before the next attempt. */
        backoff?: "exponential" | "linear" | "fixed" | {
          kind: "exponential" | "linear" | "fixed" | "list"
          [name: string]: unknown
        } | undefined
        /** Retry only these: failed, timed_out, crashed, error codes. */
        retry_on?: string[] | undefined
        /** Never retry these error names or codes. */
        abort_on?: string[] | undefined
      } | undefined
      /** Time limit of one attempt, in seconds. */
      timeout_seconds?: number | undefined
      /** Time limit of one attempt. */
      timeout_ms?: number | undefined
      /** Up to 16 names and values. */
      labels?: Record<string, string> | undefined
      /** Delivery guarantee. */
      delivery?: "at-least-once" | "at-most-once" | "transactional" | undefined
      /** Longest time between heartbeats of the handler. */
      heartbeat_ms?: number | undefined
      /** How many runs with the same key may run at the same time. */
      concurrency?: {
        /** Limit how many runs with this key run at the same time. A string, or `{ "payload": "path" }`. */
        key: unknown
        /** The limit for the concurrency key. */
        limit?: number | undefined
      } | undefined
      /** How many runs with the same key may start per unit of time. */
      rate?: {
        /** Limit how many runs start. */
        limit: number
        /** The unit of time of the rate. */
        per?: "second" | "minute" | "hour" | "day" | number | undefined
        /** Runs with this key share the rate. A string, or `{ "payload": "path" }`. */
        key?: unknown
        /** How many may start at once. */
        burst?: number | undefined
      } | undefined
      /** What performs the run instead of a handler. */
      target?: {
        kind: "handler"
        /** The name of the handler. */
        name: string
      } | {
        kind: "http"
        /** Send an HTTP request to this URL. */
        url: string
        /** The method. */
        method?: string | undefined
        /** A header of the request. */
        headers?: Record<string, string> | undefined
        /** The body: a string is sent as text, other JSON as JSON. */
        body?: unknown
        /** A secret that signs the request, as Standard Webhooks says. */
        signing_secrets?: string[] | undefined
        /** Which responses are successes. */
        success?: {
          /** Status codes that are successes. */
          status?: string | undefined
          /** A text that the body of a success contains. */
          body_contains?: string | undefined
          /** A text that the body of a success does not contain. */
          body_excludes?: string | undefined
        } | undefined
        /** Status codes after which the run is retried. */
        retry_status?: string | undefined
        /** How long the connection may take. */
        connect_timeout_ms?: number | undefined
        /** How long the headers of the response may take. */
        headers_timeout_ms?: number | undefined
        /** How long the body of the response may pause. */
        idle_timeout_ms?: number | undefined
        /** How long the whole request may take. */
        total_timeout_ms?: number | undefined
        /** How many bytes of the response are read. */
        response_bytes?: number | undefined
        /** Decode a compressed response. */
        decompress?: boolean | undefined
        /** How long the target may take to report the outcome after a 202. */
        await_ms?: number | undefined
        /** How many redirects within the origin are followed. */
        redirects?: number | undefined
      } | {
        kind: "shell"
        /** The program and its arguments. */
        command: string[]
        /** Whether /bin/sh interprets the command. */
        shell?: boolean | undefined
        /** An environment variable of the command. */
        env?: Record<string, string> | undefined
        /** The working directory. */
        cwd?: string | undefined
        /** What it reads from its standard input. */
        input?: string | undefined
        /** The permissions that new files do not get, in octal. */
        umask?: string | undefined
        /** Exit codes after which the run is not retried. */
        no_retry_codes?: string | undefined
        /** How much of the output the log gets. */
        output_bytes?: number | undefined
        /** The memory of all its processes, in MiB. */
        memory_mb?: number | undefined
        /** The size of each file that it writes, in MiB. */
        file_mb?: number | undefined
        /** How many processes it may have. */
        processes?: number | undefined
        /** Whether it can reach the network. */
        network?: boolean | undefined
      } | {
        kind: "ssh"
        /** Run a command on this host. */
        host: string
        /** The user on the host. */
        user: string
        /** The program and its arguments. */
        command: string[]
        /** The secret with the private key. */
        key: string
        /** The keys of the host, as ssh-keyscan prints them. */
        known_hosts: string
        /** The port. */
        port?: number | undefined
        /** An environment variable of the command. */
        env?: Record<string, string> | undefined
        /** The working directory on the host. */
        cwd?: string | undefined
        /** How long the connection may take. */
        connect_timeout_ms?: number | undefined
        /** Exit codes after which the run is not retried. */
        no_retry_codes?: string | undefined
        /** How much of the output the log gets. */
        output_bytes?: number | undefined
      } | {
        kind: "grpc"
        /** Call a gRPC service at this host and port. */
        address: string
        /** The full name of the service. */
        service: string
        /** The method, which must be unary. */
        method: string
        /** The request, as JSON. */
        message?: unknown
        /** Metadata of the call. */
        metadata?: Record<string, string> | undefined
        /** A FileDescriptorSet in base64, as protoc writes it. */
        descriptor?: string | undefined
        /** Whether the connection is encrypted. */
        tls?: boolean | undefined
        /** The secret with the certificates to trust. */
        ca_secret?: string | undefined
        /** The secret with the client's certificate. */
        cert_secret?: string | undefined
        /** The secret with the key of the client's certificate. */
        key_secret?: string | undefined
        /** The deadline of the call. */
        deadline_ms?: number | undefined
        /** How long the connection may take. */
        connect_timeout_ms?: number | undefined
        /** The largest response, in bytes. */
        response_bytes?: number | undefined
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
  /** Creates a job of this name, or replaces its definition. With `If-Match`, only while the job has the version of the ETag, and with `*` only if it exists; with `If-None-Match: *`, only if it does not exist (412). Requires the scope `operate`. Specific problems: version_changed, invalid_schedule, invalid_timezone, never_fires, quota_exceeded. */
  "PUT /jobs/{id}": {
    params: {
      /** The id or the name. */
      id: string
    }
    body: {
      /** The handler of its runs. Default: its name, unless `target` is given. */
      handler?: string | undefined
      /** The payload of its runs. */
      payload?: unknown
      /** When it fires: a cron expression, or an interval such as `every 5m`, `PT1H` or `R5/…/PT1H`. */
      schedule?: string | undefined
      /** Wait this long after the previous run ends. */
      every_after_end?: string | undefined
      /** Run once at this time. ISO 8601 with Z or an offset. */
      run_at?: string | undefined
      /** Run once, this long from now: seconds, or a duration such as `10m`. */
      delay?: number | string | undefined
      /** Time zone, such as Europe/Berlin. */
      timezone?: string | undefined
      /** No slots before this time. ISO 8601 with Z or an offset. */
      start_at?: string | undefined
      /** No slots at or after this time. ISO 8601 with Z or an offset. */
      end_at?: string | undefined
      /** Stop after this many runs. */
      max_runs?: number | undefined
      /** Delay runs by a fixed part of this. */
      jitter_ms?: number | undefined
      /** No jitter, regardless of the setting jitterMs. */
      exact?: boolean | undefined
      /** Run only when this calendar allows it. */
      calendars?: string[] | undefined
      /** How clock changes affect fixed times of day. */
      dst?: {
        /** Local times that do not exist when clocks go forward. */
        gap?: "run-after" | "shift" | "skip" | undefined
        /** Local times that occur twice when clocks go back. */
        fold?: "first" | "last" | "both" | undefined
      } | undefined
      /** How day of month and weekday combine. */
      day_rule?: "or" | "and" | undefined
      /** What happens to slots missed in an outage. */
      misfire?: "all" | "latest" | "none" | {
        /** Slots missed while no planner ran. */
        policy?: "all" | "latest" | "none" | undefined
        /** A slot this late counts as missed. */
        grace_ms?: number | undefined
        /** All: older slots become one run. */
        max_age_ms?: number | undefined
        /** All: at most this many single runs. */
        max_count?: number | undefined
        /** Pause between catch-up runs. */
        drip_ms?: number | undefined
      } | undefined
      /** When the previous run is still running. */
      overlap?: "allow" | "skip" | "queue-one" | "queue-all" | "cancel-previous" | "terminate-previous" | undefined
      /** Pause the job after this many dead runs in a row. */
      pause_after_failures?: number | undefined
      /** What the job is for. */
      description?: string | undefined
      /** Who is responsible for it. */
      owner?: string | undefined
      /** 0 to 10, higher first. */
      priority?: number | undefined
      /** Queue of its runs. */
      queue?: string | undefined
      /** Attempts for each run, including the first. */
      max_attempts?: number | undefined
      /** Attempts after the first. */
      max_retries?: number | undefined
      /** When a failed attempt is retried. */
      retry_policy?: {
        /** Attempts, including the first. */
        max_attempts?: number | undefined
        /** The delay before the next attempt. */
        backoff?: "exponential" | "linear" | "fixed" | {
          kind: "exponential" | "linear" | "fixed" | "list"
          [name: string]: unknown
        } | undefined
        /** Retry only these: failed, timed_out, crashed, error codes. */
        retry_on?: string[] | undefined
        /** Never retry these error names or codes. */
        abort_on?: string[] | undefined
      } | undefined
      /** Time limit of one attempt, in seconds. */
      timeout_seconds?: number | undefined
      /** Time limit of one attempt. */
      timeout_ms?: number | undefined
      /** Up to 16 names and values. */
      labels?: Record<string, string> | undefined
      /** Delivery guarantee. */
      delivery?: "at-least-once" | "at-most-once" | "transactional" | undefined
      /** Longest time between heartbeats of the handler. */
      heartbeat_ms?: number | undefined
      /** How many runs with the same key may run at the same time. */
      concurrency?: {
        /** Limit how many runs with this key run at the same time. A string, or `{ "payload": "path" }`. */
        key: unknown
        /** The limit for the concurrency key. */
        limit?: number | undefined
      } | undefined
      /** How many runs with the same key may start per unit of time. */
      rate?: {
        /** Limit how many runs start. */
        limit: number
        /** The unit of time of the rate. */
        per?: "second" | "minute" | "hour" | "day" | number | undefined
        /** Runs with this key share the rate. A string, or `{ "payload": "path" }`. */
        key?: unknown
        /** How many may start at once. */
        burst?: number | undefined
      } | undefined
      /** What performs the run instead of a handler. */
      target?: {
        kind: "handler"
        /** The name of the handler. */
        name: string
      } | {
        kind: "http"
        /** Send an HTTP request to this URL. */
        url: string
        /** The method. */
        method?: string | undefined
        /** A header of the request. */
        headers?: Record<string, string> | undefined
        /** The body: a string is sent as text, other JSON as JSON. */
        body?: unknown
        /** A secret that signs the request, as Standard Webhooks says. */
        signing_secrets?: string[] | undefined
        /** Which responses are successes. */
        success?: {
          /** Status codes that are successes. */
          status?: string | undefined
          /** A text that the body of a success contains. */
          body_contains?: string | undefined
          /** A text that the body of a success does not contain. */
          body_excludes?: string | undefined
        } | undefined
        /** Status codes after which the run is retried. */
        retry_status?: string | undefined
        /** How long the connection may take. */
        connect_timeout_ms?: number | undefined
        /** How long the headers of the response may take. */
        headers_timeout_ms?: number | undefined
        /** How long the body of the response may pause. */
        idle_timeout_ms?: number | undefined
        /** How long the whole request may take. */
        total_timeout_ms?: number | undefined
        /** How many bytes of the response are read. */
        response_bytes?: number | undefined
        /** Decode a compressed response. */
        decompress?: boolean | undefined
        /** How long the target may take to report the outcome after a 202. */
        await_ms?: number | undefined
        /** How many redirects within the origin are followed. */
        redirects?: number | undefined
      } | {
        kind: "shell"
        /** The program and its arguments. */
        command: string[]
        /** Whether /bin/sh interprets the command. */
        shell?: boolean | undefined
        /** An environment variable of the command. */
        env?: Record<string, string> | undefined
        /** The working directory. */
        cwd?: string | undefined
        /** What it reads from its standard input. */
        input?: string | undefined
        /** The permissions that new files do not get, in octal. */
        umask?: string | undefined
        /** Exit codes after which the run is not retried. */
        no_retry_codes?: string | undefined
        /** How much of the output the log gets. */
        output_bytes?: number | undefined
        /** The memory of all its processes, in MiB. */
        memory_mb?: number | undefined
        /** The size of each file that it writes, in MiB. */
        file_mb?: number | undefined
        /** How many processes it may have. */
        processes?: number | undefined
        /** Whether it can reach the network. */
        network?: boolean | undefined
      } | {
        kind: "ssh"
        /** Run a command on this host. */
        host: string
        /** The user on the host. */
        user: string
        /** The program and its arguments. */
        command: string[]
        /** The secret with the private key. */
        key: string
        /** The keys of the host, as ssh-keyscan prints them. */
        known_hosts: string
        /** The port. */
        port?: number | undefined
        /** An environment variable of the command. */
        env?: Record<string, string> | undefined
        /** The working directory on the host. */
        cwd?: string | undefined
        /** How long the connection may take. */
        connect_timeout_ms?: number | undefined
        /** Exit codes after which the run is not retried. */
        no_retry_codes?: string | undefined
        /** How much of the output the log gets. */
        output_bytes?: number | undefined
      } | {
        kind: "grpc"
        /** Call a gRPC service at this host and port. */
        address: string
        /** The full name of the service. */
        service: string
        /** The method, which must be unary. */
        method: string
        /** The request, as JSON. */
        message?: unknown
        /** Metadata of the call. */
        metadata?: Record<string, string> | undefined
        /** A FileDescriptorSet in base64, as protoc writes it. */
        descriptor?: string | undefined
        /** Whether the connection is encrypted. */
        tls?: boolean | undefined
        /** The secret with the certificates to trust. */
        ca_secret?: string | undefined
        /** The secret with the client's certificate. */
        cert_secret?: string | undefined
        /** The secret with the key of the client's certificate. */
        key_secret?: string | undefined
        /** The deadline of the call. */
        deadline_ms?: number | undefined
        /** How long the connection may take. */
        connect_timeout_ms?: number | undefined
        /** The largest response, in bytes. */
        response_bytes?: number | undefined
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
  /** Runs past slots that did not run; repeating the request runs none twice. With `If-Match`, only while the job has the version of the ETag (412). Requires the scope `operate`. Specific problems: job_not_found, version_changed. */
  "POST /jobs/{id}/backfill": {
    params: {
      /** The id or the name. */
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
  /** Explains why a job ran, or did not, at an instant. Requires the scope `read`. Specific problems: job_not_found. */
  "GET /jobs/{id}/explain": {
    params: {
      /** The id or the name. */
      id: string
    }
    query: {
      /** An instant: ISO 8601 with Z or an offset. */
      at?: string | undefined
    }
    answer: unknown
  }
  /** Pauses a job: no further runs are planned. Runs planned for future slots are removed. Runs of past slots (backfills, missed slots, runs delayed by jitter) and triggered runs continue; cancel them with `POST /runs/cancel`. With `If-Match`, only while the job has the version of the ETag (412). Requires the scope `operate`. Specific problems: job_not_found, version_changed. */
  "POST /jobs/{id}/pause": {
    params: {
      /** The id or the name. */
      id: string
    }
    body: {
      /** The reason. */
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
  /** Lists the next slots of a job. Requires the scope `read`. Specific problems: job_not_found. */
  "GET /jobs/{id}/preview": {
    params: {
      /** The id or the name. */
      id: string
    }
    query: {
      count?: number | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      from?: string | undefined
      /** Also the slots around the next clock changes. */
      around_changes?: boolean | undefined
    }
    answer: {
      slots: {
        at: string
        local: string
      }[]
    }
  }
  /** Resumes a job; slots that passed while it was paused are skipped. With `If-Match`, only while the job has the version of the ETag (412). Requires the scope `operate`. Specific problems: job_not_found, version_changed. */
  "POST /jobs/{id}/resume": {
    params: {
      /** The id or the name. */
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
  /** Skips one future slot. With `If-Match`, only while the job has the version of the ETag (412). Requires the scope `operate`. Specific problems: job_not_found, version_changed, slot_not_found. */
  "POST /jobs/{id}/skip": {
    params: {
      /** The id or the name. */
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
  /** Lists the decisions for the slots of a job, oldest first. Requires the scope `read`. Specific problems: job_not_found, invalid_cursor. */
  "GET /jobs/{id}/slots": {
    params: {
      /** The id or the name. */
      id: string
    }
    query: {
      /** An instant: ISO 8601 with Z or an offset. */
      from?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      to?: string | undefined
      limit?: number | undefined
      /** The `next_cursor` of the page before. */
      cursor?: string | undefined
    }
    answer: {
      /** A page may be empty although it has a successor. */
      next_cursor: string | null
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
  /** Runs a job now, independently of its slots. With `If-Match`, only while the job has the version of the ETag (412). Requires the scope `submit`. Specific problems: job_not_found, version_changed. */
  "POST /jobs/{id}/trigger": {
    params: {
      /** The id or the name. */
      id: string
    }
    body: {
      /** Replaces the payload of the job. */
      payload?: unknown
    }
    answer: {
      run_id: string
    }
  }
  /** Lists limits and their current use. Requires the scope `read`. */
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
  /** Returns the caller. Any API key is accepted. */
  "GET /me": {
    answer: {
      key_id: string
      key_name: string
      tenant: string | null
      scopes: string[]
    }
  }
  /** Pauses all queues of the tenant. Requires the scope `operate`. */
  "POST /pause": {
    body: {
      /** The reason. */
      note?: string | undefined
    }
    answer: {
      queue: string | null
      paused: boolean
      changed: boolean
    }
  }
  /** Lists queues with their depth, age and pauses. Requires the scope `read`. */
  "GET /queues": {
    answer: {
      queues: {
        queue: string
        paused: boolean
        pause: {
          /** Null when all queues are paused. */
          queue: string | null
          paused_at: string
          note: string | null
          paused_by: string | null
        } | null
        /** Due and waiting for a worker; counted up to 10,000 per lane. */
        due: number
        /** Due within about a minute. */
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
  /** Removes the limits of a queue. Requires the scope `operate`. */
  "DELETE /queues/{queue}/limits": {
    params: {
      queue: string
    }
    answer: {
      removed: boolean
    }
  }
  /** Sets the limits of a queue, replacing earlier ones. Requires the scope `operate`. */
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
  /** Pauses a queue: workers claim nothing from it, and its runs finish. Requires the scope `operate`. */
  "POST /queues/{queue}/pause": {
    params: {
      queue: string
    }
    body: {
      /** The reason. */
      note?: string | undefined
    }
    answer: {
      queue: string | null
      paused: boolean
      changed: boolean
    }
  }
  /** Resumes a queue. Requires the scope `operate`. */
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
  /** Ends the pause of all queues; queues paused one by one stay paused. Requires the scope `operate`. */
  "POST /resume": {
    answer: {
      queue: string | null
      paused: boolean
      changed: boolean
    }
  }
  /** Lists runs, newest first. A page may have fewer than `limit` runs while `next_cursor` is set, because the rows read per page are bounded; `complete` is then false. Requires the scope `read`. Specific problems: invalid_cursor, job_not_found. */
  "GET /runs": {
    query: {
      /** Any of these. */
      state?: ("waiting" | "scheduled" | "queued" | "running" | "cancelling" | "awaiting" | "succeeded" | "dead" | "cancelled" | "skipped" | "unknown")[] | undefined
      /** The name or the id of a job. */
      job?: string | undefined
      queue?: string | undefined
      handler?: string | undefined
      /** The prefix of their key. */
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
      /** The fingerprint of their error. */
      fingerprint?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      finished_from?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      finished_to?: string | undefined
      /** `name:value`; may be repeated, and a run must have all of them. */
      label?: string[] | undefined
      /** Seconds, or a duration such as `1h`. */
      running_longer_than?: string | undefined
      /** Only dead runs that were neither replayed nor discarded. */
      not_retried?: boolean | undefined
      limit?: number | undefined
      /** `next_cursor` of the previous page. */
      cursor?: string | undefined
    }
    answer: {
      runs: {
        id: string
        state: "waiting" | "scheduled" | "queued" | "running" | "cancelling" | "awaiting" | "succeeded" | "dead" | "cancelled" | "skipped" | "unknown"
        handler: string
        queue: string
        priority: number
        due_at: string
        created_at: string
        key: string | null
        /** Up to 16 names and values. */
        labels: Record<string, string>
        /** Attempts made, without a running one. */
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
  /** Submits a run. The run is committed when the request is answered. Its handler need not exist on a worker yet. Requires the scope `submit`. Specific problems: key_conflict, handler_unknown, quota_exceeded, payload_too_large. */
  "POST /runs": {
    body: {
      /** The handler that runs it, unless `target` does. */
      handler?: string | undefined
      /** The payload that the handler gets. */
      payload?: unknown
      /** Run at this time. ISO 8601 with Z or an offset. */
      run_at?: string | undefined
      /** Run this long from now: seconds, or a duration such as `10m`. */
      delay?: number | string | undefined
      /** Do not start after this time. ISO 8601 with Z or an offset. */
      expires_at?: string | undefined
      /** 0 to 10, higher first. */
      priority?: number | undefined
      /** The queue. */
      queue?: string | undefined
      /** Attempts, including the first. */
      max_attempts?: number | undefined
      /** Attempts after the first. */
      max_retries?: number | undefined
      /** When a failed attempt is retried. */
      retry_policy?: {
        /** Attempts, including the first. */
        max_attempts?: number | undefined
        /** The delay before the next attempt. */
        backoff?: "exponential" | "linear" | "fixed" | {
          kind: "exponential" | "linear" | "fixed" | "list"
          [name: string]: unknown
        } | undefined
        /** Retry only these: failed, timed_out, crashed, error codes. */
        retry_on?: string[] | undefined
        /** Never retry these error names or codes. */
        abort_on?: string[] | undefined
      } | undefined
      /** Time limit of one attempt, in seconds. */
      timeout_seconds?: number | undefined
      /** Time limit of one attempt. */
      timeout_ms?: number | undefined
      /** Up to 16 names and values. */
      labels?: Record<string, string> | undefined
      /** Refuse when no live worker has the handler. */
      strict?: boolean | undefined
      /** Allow one live run with this key. */
      key?: string | undefined
      /** When the key is taken. */
      on_conflict?: "return" | "replace" | "debounce" | "throttle" | "error" | undefined
      /** Time window of debounce, throttle and return. */
      window?: number | string | undefined
      /** Debounce: run at most this long after the first submission. */
      max_wait?: number | string | undefined
      /** Delivery guarantee. */
      delivery?: "at-least-once" | "at-most-once" | "transactional" | undefined
      /** Longest time between heartbeats of the handler. */
      heartbeat_ms?: number | undefined
      /** How many runs with the same key may run at the same time. */
      concurrency?: {
        /** Limit how many runs with this key run at the same time. A string, or `{ "payload": "path" }`. */
        key: unknown
        /** The limit for the concurrency key. */
        limit?: number | undefined
      } | undefined
      /** How many runs with the same key may start per unit of time. */
      rate?: {
        /** Limit how many runs start. */
        limit: number
        /** The unit of time of the rate. */
        per?: "second" | "minute" | "hour" | "day" | number | undefined
        /** Runs with this key share the rate. A string, or `{ "payload": "path" }`. */
        key?: unknown
        /** How many may start at once. */
        burst?: number | undefined
      } | undefined
      /** What performs the run instead of a handler. */
      target?: {
        kind: "handler"
        /** The name of the handler. */
        name: string
      } | {
        kind: "http"
        /** Send an HTTP request to this URL. */
        url: string
        /** The method. */
        method?: string | undefined
        /** A header of the request. */
        headers?: Record<string, string> | undefined
        /** The body: a string is sent as text, other JSON as JSON. */
        body?: unknown
        /** A secret that signs the request, as Standard Webhooks says. */
        signing_secrets?: string[] | undefined
        /** Which responses are successes. */
        success?: {
          /** Status codes that are successes. */
          status?: string | undefined
          /** A text that the body of a success contains. */
          body_contains?: string | undefined
          /** A text that the body of a success does not contain. */
          body_excludes?: string | undefined
        } | undefined
        /** Status codes after which the run is retried. */
        retry_status?: string | undefined
        /** How long the connection may take. */
        connect_timeout_ms?: number | undefined
        /** How long the headers of the response may take. */
        headers_timeout_ms?: number | undefined
        /** How long the body of the response may pause. */
        idle_timeout_ms?: number | undefined
        /** How long the whole request may take. */
        total_timeout_ms?: number | undefined
        /** How many bytes of the response are read. */
        response_bytes?: number | undefined
        /** Decode a compressed response. */
        decompress?: boolean | undefined
        /** How long the target may take to report the outcome after a 202. */
        await_ms?: number | undefined
        /** How many redirects within the origin are followed. */
        redirects?: number | undefined
      } | {
        kind: "shell"
        /** The program and its arguments. */
        command: string[]
        /** Whether /bin/sh interprets the command. */
        shell?: boolean | undefined
        /** An environment variable of the command. */
        env?: Record<string, string> | undefined
        /** The working directory. */
        cwd?: string | undefined
        /** What it reads from its standard input. */
        input?: string | undefined
        /** The permissions that new files do not get, in octal. */
        umask?: string | undefined
        /** Exit codes after which the run is not retried. */
        no_retry_codes?: string | undefined
        /** How much of the output the log gets. */
        output_bytes?: number | undefined
        /** The memory of all its processes, in MiB. */
        memory_mb?: number | undefined
        /** The size of each file that it writes, in MiB. */
        file_mb?: number | undefined
        /** How many processes it may have. */
        processes?: number | undefined
        /** Whether it can reach the network. */
        network?: boolean | undefined
      } | {
        kind: "ssh"
        /** Run a command on this host. */
        host: string
        /** The user on the host. */
        user: string
        /** The program and its arguments. */
        command: string[]
        /** The secret with the private key. */
        key: string
        /** The keys of the host, as ssh-keyscan prints them. */
        known_hosts: string
        /** The port. */
        port?: number | undefined
        /** An environment variable of the command. */
        env?: Record<string, string> | undefined
        /** The working directory on the host. */
        cwd?: string | undefined
        /** How long the connection may take. */
        connect_timeout_ms?: number | undefined
        /** Exit codes after which the run is not retried. */
        no_retry_codes?: string | undefined
        /** How much of the output the log gets. */
        output_bytes?: number | undefined
      } | {
        kind: "grpc"
        /** Call a gRPC service at this host and port. */
        address: string
        /** The full name of the service. */
        service: string
        /** The method, which must be unary. */
        method: string
        /** The request, as JSON. */
        message?: unknown
        /** Metadata of the call. */
        metadata?: Record<string, string> | undefined
        /** A FileDescriptorSet in base64, as protoc writes it. */
        descriptor?: string | undefined
        /** Whether the connection is encrypted. */
        tls?: boolean | undefined
        /** The secret with the certificates to trust. */
        ca_secret?: string | undefined
        /** The secret with the client's certificate. */
        cert_secret?: string | undefined
        /** The secret with the key of the client's certificate. */
        key_secret?: string | undefined
        /** The deadline of the call. */
        deadline_ms?: number | undefined
        /** How long the connection may take. */
        connect_timeout_ms?: number | undefined
        /** The largest response, in bytes. */
        response_bytes?: number | undefined
      } | undefined
      /** W3C trace context (traceparent), passed to the handler. */
      trace?: string | undefined
    }
    answer: {
      id: string
      /** False when a live run has the key; `id` is that run. */
      created: boolean
      outcome: "created" | "existing" | "replaced"
    }
  }
  /** Submits up to 10,000 runs, one per line. NDJSON: each line is a body of POST /runs; up to 10000 lines. Requires the scope `submit`. Specific problems: invalid_request, key_conflict, quota_exceeded. */
  "POST /runs/bulk": {
    query: {
      /** `all`: all lines or none. `each`: the valid lines, with a result for each. */
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
          /** The field as a JSON pointer into the body. */
          pointer?: string | undefined
          reason?: string | undefined
          /** The exhausted quota, its limit, and the use that the request would cause. */
          quota?: {
            name: string
            limit: number
            used: number
          } | undefined
        } | undefined
      }[]
    }
  }
  /** Cancels all runs that match. Runs that change state meanwhile are left unchanged. Runs created later are not included. Requires the scope `operate`. Specific problems: job_not_found. */
  "POST /runs/cancel": {
    body: {
      filter?: {
        /** Any of these. */
        state?: ("waiting" | "scheduled" | "queued" | "running" | "cancelling" | "awaiting" | "succeeded" | "dead" | "cancelled" | "skipped" | "unknown")[] | undefined
        /** The name or the id of a job. */
        job?: string | undefined
        queue?: string | undefined
        handler?: string | undefined
        /** The prefix of their key. */
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
      /** Allows an empty filter, which matches every run. */
      all?: boolean | undefined
      /** Only counts. */
      dry_run?: boolean | undefined
      limit?: number | undefined
      reason?: string | undefined
    }
    answer: {
      dry_run: boolean
      /** Runs that were changed, or would be. */
      matched: number
      /** False when more than `limit` match: repeat the request. */
      complete: boolean
      /** Their states before. */
      states: Record<string, number>
      /** The results, counted. */
      answers: Record<string, number>
      /** The ids of the first ten. */
      sample: string[]
    }
  }
  /** Counts runs by an attribute. Requires the scope `read`. Specific problems: job_not_found. */
  "GET /runs/counts": {
    query: {
      /** Any of these. */
      state?: ("waiting" | "scheduled" | "queued" | "running" | "cancelling" | "awaiting" | "succeeded" | "dead" | "cancelled" | "skipped" | "unknown")[] | undefined
      /** The name or the id of a job. */
      job?: string | undefined
      queue?: string | undefined
      handler?: string | undefined
      /** The prefix of their key. */
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
      /** The fingerprint of their error. */
      fingerprint?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      finished_from?: string | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      finished_to?: string | undefined
      /** `name:value`; may be repeated, and a run must have all of them. */
      label?: string[] | undefined
      /** Seconds, or a duration such as `1h`. */
      running_longer_than?: string | undefined
      /** Only dead runs that were neither replayed nor discarded. */
      not_retried?: boolean | undefined
      /** `state`, `job`, `queue`, `handler`, `label:<name>`, `fingerprint` or `day`. */
      by?: string | undefined
    }
    answer: {
      count: number
      /** False when more runs match than were counted. */
      exact: boolean
      groups: {
        name: string | null
        count: number
        id?: string | undefined
      }[]
    }
  }
  /** Makes all runs that match due now. Runs that change state meanwhile are left unchanged. Runs created later are not included. Requires the scope `operate`. Specific problems: job_not_found. */
  "POST /runs/promote": {
    body: {
      filter?: {
        /** Any of these. */
        state?: ("waiting" | "scheduled" | "queued" | "running" | "cancelling" | "awaiting" | "succeeded" | "dead" | "cancelled" | "skipped" | "unknown")[] | undefined
        /** The name or the id of a job. */
        job?: string | undefined
        queue?: string | undefined
        handler?: string | undefined
        /** The prefix of their key. */
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
      /** Allows an empty filter, which matches every run. */
      all?: boolean | undefined
      /** Only counts. */
      dry_run?: boolean | undefined
      limit?: number | undefined
    }
    answer: {
      dry_run: boolean
      /** Runs that were changed, or would be. */
      matched: number
      /** False when more than `limit` match: repeat the request. */
      complete: boolean
      /** Their states before. */
      states: Record<string, number>
      /** The results, counted. */
      answers: Record<string, number>
      /** The ids of the first ten. */
      sample: string[]
    }
  }
  /** Changes when all runs that match are due. Runs that change state meanwhile are left unchanged. Runs created later are not included. Requires the scope `operate`. Specific problems: job_not_found. */
  "POST /runs/reschedule": {
    body: {
      filter?: {
        /** Any of these. */
        state?: ("waiting" | "scheduled" | "queued" | "running" | "cancelling" | "awaiting" | "succeeded" | "dead" | "cancelled" | "skipped" | "unknown")[] | undefined
        /** The name or the id of a job. */
        job?: string | undefined
        queue?: string | undefined
        handler?: string | undefined
        /** The prefix of their key. */
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
      /** Allows an empty filter, which matches every run. */
      all?: boolean | undefined
      /** Only counts. */
      dry_run?: boolean | undefined
      limit?: number | undefined
      /** An instant: ISO 8601 with Z or an offset. */
      run_at: string
    }
    answer: {
      dry_run: boolean
      /** Runs that were changed, or would be. */
      matched: number
      /** False when more than `limit` match: repeat the request. */
      complete: boolean
      /** Their states before. */
      states: Record<string, number>
      /** The results, counted. */
      answers: Record<string, number>
      /** The ids of the first ten. */
      sample: string[]
    }
  }
  /** Retries all runs that match. Retries dead runs that were neither replayed nor discarded, and with `state` also unknown ones. Runs whose key belongs to a live run are unchanged, and counted as `missed`. Requires the scope `operate`. Specific problems: job_not_found. */
  "POST /runs/retry": {
    body: {
      filter?: {
        /** Any of these. */
        state?: ("waiting" | "scheduled" | "queued" | "running" | "cancelling" | "awaiting" | "succeeded" | "dead" | "cancelled" | "skipped" | "unknown")[] | undefined
        /** The name or the id of a job. */
        job?: string | undefined
        queue?: string | undefined
        handler?: string | undefined
        /** The prefix of their key. */
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
        /** The fingerprint of their error. */
        fingerprint?: string | undefined
        /** An instant: ISO 8601 with Z or an offset. */
        finished_from?: string | undefined
        /** An instant: ISO 8601 with Z or an offset. */
        finished_to?: string | undefined
        /** Up to 16 names and values. */
        labels?: Record<string, string> | undefined
        ids?: string[] | undefined
      } | undefined
      /** Allows an empty filter, which matches every run. */
      all?: boolean | undefined
      /** Only counts. */
      dry_run?: boolean | undefined
      limit?: number | undefined
      /** The reason; stored with each. */
      note?: string | undefined
    }
    answer: {
      dry_run: boolean
      /** Runs that were changed, or would be. */
      matched: number
      /** False when more than `limit` match: repeat the request. */
      complete: boolean
      retried: number
      /** Already handled, or their key is in use. */
      missed: number
      /** The new runs. */
      run_ids: string[]
    }
  }
  /** Returns a run with its attempts. Requires the scope `read`. Specific problems: run_not_found. */
  "GET /runs/{id}": {
    params: {
      /** The id or the name. */
      id: string
    }
    answer: {
      id: string
      state: "waiting" | "scheduled" | "queued" | "running" | "cancelling" | "awaiting" | "succeeded" | "dead" | "cancelled" | "skipped" | "unknown"
      handler: string
      queue: string
      priority: number
      due_at: string
      created_at: string
      key: string | null
      /** Up to 16 names and values. */
      labels: Record<string, string>
      /** What performs its runs: `kind`, and the members of that kind. */
      target: Record<string, unknown>
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
      /** Finished attempts, oldest first. */
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
  /** Replaces the payload of a run before its first attempt. Requires the scope `operate`. Specific problems: run_not_found, already_finished, state_conflict. */
  "PATCH /runs/{id}": {
    params: {
      /** The id or the name. */
      id: string
    }
    body: {
      /** The new payload. */
      payload: unknown
    }
    answer: {
      id: string
      result: string
      state: "waiting" | "scheduled" | "queued" | "running" | "cancelling" | "awaiting" | "succeeded" | "dead" | "cancelled" | "skipped" | "unknown"
    }
  }
  /** Cancels a run. A run that has not started becomes `cancelled`. The handler of a running one is asked to end: the run is `cancelling` until it has ended, for at most 30 s. Repeating the request changes nothing. Requires the scope `operate`. Specific problems: run_not_found, already_finished, state_conflict. */
  "POST /runs/{id}/cancel": {
    params: {
      /** The id or the name. */
      id: string
    }
    body: {
      /** Stored with the run. */
      reason?: string | undefined
    }
    answer: {
      id: string
      result: string
      state: "waiting" | "scheduled" | "queued" | "running" | "cancelling" | "awaiting" | "succeeded" | "dead" | "cancelled" | "skipped" | "unknown"
    }
  }
  /** Reports that a run that awaits its target has succeeded. The same report again gets the same answer. A report may arrive before the run is known to be `awaiting`. Requires the callback token of the run in `Punctual-Callback-Token`, or the scope `operate`. Specific problems: run_not_found, already_finished, state_conflict, callback_token_invalid. */
  "POST /runs/{id}/complete": {
    params: {
      /** The id or the name. */
      id: string
    }
    body: {
      /** The output of the run. */
      output?: unknown
    }
    answer: {
      id: string
      /** `retrying`: another attempt follows. */
      state: "succeeded" | "dead" | "cancelled" | "skipped" | "unknown" | "retrying"
    }
  }
  /** Explains why a run is not running now. A run that is due and not running always has a reason. For a tenant, workers that serve all tenants appear with their ids only. Requires the scope `read`. Specific problems: run_not_found. */
  "GET /runs/{id}/explain": {
    params: {
      /** The id or the name. */
      id: string
    }
    answer: {
      id: string
      running: boolean
      /** In the order in which they must end. */
      reasons: {
        /** Such as `not_due`, `paused` or `no_worker`. */
        code: string
        /** The reason in words. */
        detail: string
        [name: string]: unknown
      }[]
    }
  }
  /** Reports that the attempt of a run that awaits its target has failed. The run is tried again by its retry policy, or is dead. Requires the callback token of the run in `Punctual-Callback-Token`, or the scope `operate`. Specific problems: run_not_found, already_finished, state_conflict, callback_token_invalid. */
  "POST /runs/{id}/fail": {
    params: {
      /** The id or the name. */
      id: string
    }
    body: {
      error?: {
        name?: string | undefined
        message?: string | undefined
        code?: string | undefined
      } | undefined
      /** False: another attempt cannot help. */
      retryable?: boolean | undefined
      /** When to try again, at the earliest. */
      retry_after_ms?: number | undefined
    }
    answer: {
      id: string
      /** `retrying`: another attempt follows. */
      state: "succeeded" | "dead" | "cancelled" | "skipped" | "unknown" | "retrying"
    }
  }
  /** Lists the log lines of a run, oldest first. With `Accept: text/event-stream`, lines are sent as they are written: `log` events until the run has ended, then one `end` event. `Last-Event-ID` resumes after that line. Requires the scope `read`. Specific problems: run_not_found, invalid_cursor, too_many_streams. */
  "GET /runs/{id}/logs": {
    params: {
      /** The id or the name. */
      id: string
    }
    query: {
      /** `next` of the previous page. */
      after?: string | undefined
      limit?: number | undefined
      /** Returns the last N lines instead; excludes `after` and `limit`. */
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
  /** Returns the output of a run; null unless it succeeded. Requires the scope `read`. Specific problems: run_not_found. */
  "GET /runs/{id}/output": {
    params: {
      /** The id or the name. */
      id: string
    }
    answer: {
      id: string
      state: "waiting" | "scheduled" | "queued" | "running" | "cancelling" | "awaiting" | "succeeded" | "dead" | "cancelled" | "skipped" | "unknown"
      output: unknown
    }
  }
  /** Changes the priority of a run that has not started. Requires the scope `operate`. Specific problems: run_not_found, already_finished, state_conflict. */
  "POST /runs/{id}/priority": {
    params: {
      /** The id or the name. */
      id: string
    }
    body: {
      /** Higher first. */
      priority: number
    }
    answer: {
      id: string
      result: string
      state: "waiting" | "scheduled" | "queued" | "running" | "cancelling" | "awaiting" | "succeeded" | "dead" | "cancelled" | "skipped" | "unknown"
    }
  }
  /** Shows how far a run that awaits its target has come. Requires the callback token of the run in `Punctual-Callback-Token`, or the scope `operate`. Specific problems: run_not_found, already_finished, state_conflict, callback_token_invalid. */
  "POST /runs/{id}/progress": {
    params: {
      /** The id or the name. */
      id: string
    }
    body: {
      /** Any value, by convention a number from 0 to 1. */
      progress: unknown
    }
    answer: {
      id: string
    }
  }
  /** Makes a scheduled run due now. Requires the scope `operate`. Specific problems: run_not_found, already_finished, state_conflict. */
  "POST /runs/{id}/promote": {
    params: {
      /** The id or the name. */
      id: string
    }
    answer: {
      id: string
      result: string
      state: "waiting" | "scheduled" | "queued" | "running" | "cancelling" | "awaiting" | "succeeded" | "dead" | "cancelled" | "skipped" | "unknown"
    }
  }
  /** Changes when a run that has not started is due. Requires the scope `operate`. Specific problems: run_not_found, already_finished, state_conflict. */
  "POST /runs/{id}/reschedule": {
    params: {
      /** The id or the name. */
      id: string
    }
    body: {
      /** An instant: ISO 8601 with Z or an offset. */
      run_at: string
    }
    answer: {
      id: string
      result: string
      state: "waiting" | "scheduled" | "queued" | "running" | "cancelling" | "awaiting" | "succeeded" | "dead" | "cancelled" | "skipped" | "unknown"
    }
  }
  /** Records how an unknown run ended. `succeeded`: it was done. `failed`: it was not, and becomes a dead letter. `run-again`: a new run repeats it. A run can be resolved once. Requires the scope `operate`. Specific problems: run_not_found, state_conflict, already_handled, key_conflict. */
  "POST /runs/{id}/resolve": {
    params: {
      /** The id or the name. */
      id: string
    }
    body: {
      as: "succeeded" | "failed" | "run-again"
      /** The reason; stored with it. */
      note?: string | undefined
    }
    answer: {
      id: string
      as: string
      /** The new run of `run-again`. */
      run_id: string | null
    }
  }
  /** Retries a dead or unknown run. Creates a new run, due now. The old run is unchanged, and each refers to the other. Requires the scope `operate`. Specific problems: run_not_found, state_conflict, already_handled, key_conflict. */
  "POST /runs/{id}/retry": {
    params: {
      /** The id or the name. */
      id: string
    }
    body: {
      /** For a dead run: replaces the payload. */
      payload?: unknown
      /** For a dead run: resumes from its last checkpoint. */
      from_checkpoint?: boolean | undefined
      /** The reason; stored with it. */
      note?: string | undefined
    }
    answer: {
      id: string
      /** The new run. */
      run_id: string
    }
  }
  /** Lists the names of secrets, without their values. Requires the scope `admin`. */
  "GET /secrets": {
    answer: {
      secrets: unknown[]
    }
  }
  /** Deletes a secret; runs that read it fail. Requires the scope `admin`. */
  "DELETE /secrets/{name}": {
    params: {
      name: string
    }
    answer: {
      removed: boolean
    }
  }
  /** Creates a secret, or replaces its value. Requires the scope `admin`. Specific problems: quota_exceeded. */
  "PUT /secrets/{name}": {
    params: {
      name: string
    }
    body: {
      /** A string of at least 8 characters. */
      value: unknown
    }
    answer: {
      name: string
      version: number
    }
  }
  /** Counts how runs ended in the last minutes, by queue and handler. Requires the scope `read`. */
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
        /** Of runs that succeeded, died or were lost; from 0 to 1. */
        success_rate: number | null
      }[]
    }
  }
  /** Reports how runs ended by day or by job, over up to 366 days. Requires the scope `read`. */
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
        /** Of runs that succeeded, died or were lost; from 0 to 1. */
        success_rate: number | null
      }[]
      /** Runs that ended later are not counted yet. */
      counted_to: string | null
    }
  }
  /** Lists tenants by name. Requires the scope `system`. */
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
        /** A quota that is not named is unlimited. */
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
  /** Creates a tenant. Requires the scope `system`. Specific problems: tenant_exists. */
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
      /** A quota that is not named is unlimited. */
      quotas: unknown
      created_at: string
      created_by: string | null
      suspended_at: string | null
      suspended_by: string | null
      suspended_note: string | null
      erasing_since: string | null
    }
  }
  /** Erases a tenant and all of its data permanently; this takes a while. Requires the scope `system`. Specific problems: tenant_not_found, tenant_protected. */
  "DELETE /tenants/{name}": {
    params: {
      name: string
    }
    query: {
      /** The name of the tenant, repeated. */
      confirm: string
    }
    answer: unknown
  }
  /** Returns a tenant and its quotas. Requires the scope `system`. Specific problems: tenant_not_found. */
  "GET /tenants/{name}": {
    params: {
      name: string
    }
    answer: {
      id: number
      name: string
      note: string | null
      /** A quota that is not named is unlimited. */
      quotas: unknown
      created_at: string
      created_by: string | null
      suspended_at: string | null
      suspended_by: string | null
      suspended_note: string | null
      erasing_since: string | null
    }
  }
  /** Updates the note or quotas of a tenant; null removes a quota. Requires the scope `system`. Specific problems: tenant_not_found. */
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
      /** A quota that is not named is unlimited. */
      quotas: unknown
      created_at: string
      created_by: string | null
      suspended_at: string | null
      suspended_by: string | null
      suspended_note: string | null
      erasing_since: string | null
    }
  }
  /** Exports the declarations of a tenant and its runs of a range, one per line (NDJSON). Requires the scope `system`. Specific problems: tenant_not_found. */
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
  /** Resumes a tenant. Requires the scope `system`. Specific problems: tenant_not_found. */
  "POST /tenants/{name}/resume": {
    params: {
      name: string
    }
    answer: {
      id: number
      name: string
      note: string | null
      /** A quota that is not named is unlimited. */
      quotas: unknown
      created_at: string
      created_by: string | null
      suspended_at: string | null
      suspended_by: string | null
      suspended_note: string | null
      erasing_since: string | null
    }
  }
  /** Suspends a tenant: nothing is accepted for it or run until it is resumed. Requires the scope `system`. Specific problems: tenant_not_found. */
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
      /** A quota that is not named is unlimited. */
      quotas: unknown
      created_at: string
      created_by: string | null
      suspended_at: string | null
      suspended_by: string | null
      suspended_note: string | null
      erasing_since: string | null
    }
  }
  /** Reports the use of a tenant by day (UTC). Requires the scope `system`. Specific problems: tenant_not_found. */
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
        /** Runs due on this day. */
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
  /** Lists workers. For a key of the installation: all workers, including those that left in the last day. For a key of a tenant: those that serve only this tenant. Requires the scope `read`. */
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
        /** Runs it ended in the last hour, by state. */
        ended_last_hour: Record<string, number>
        /** Of the last hour: runs that died or were lost, divided by those that succeeded, died or were lost. From 0 to 1; null without such runs. Retried attempts do not count. */
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
  /** Lets a drained worker claim runs again. A key of the installation may name any worker, a key of a tenant one that serves only this tenant. Requires the scope `operate`. Specific problems: worker_not_found. */
  "POST /workers/{id}/activate": {
    params: {
      id: string
    }
    answer: {
      id: string
      changed: boolean
    }
  }
  /** Drains a worker: it claims nothing more and finishes its runs. A key of the installation may name any worker, a key of a tenant one that serves only this tenant. Requires the scope `operate`. Specific problems: worker_not_found. */
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
