/** The mutants of the campaign, and where those of a profile are. */
import { hostileTenantMutants } from './hostile-tenant.ts'
import type { Mutant } from './mutant.ts'

const mutants: readonly Mutant[] = [
  {
    name: 'place-not-taken',
    breaks: 'a lease of a run with a concurrency key takes no place of the key',
    edits: [
      {
        file: 'store/queries/parts/claim/gates.sql',
        find: '    gate, place,\n',
        replace: '    null, null,\n',
      },
    ],
    killedBy: 'no fault at all: overcrowded',
  },
  {
    name: 'limit-not-counted',
    breaks: 'runs under the limit of a queue are not counted',
    edits: [
      {
        file: 'store/queries/parts/claim/limits.sql',
        find: 'then (select count(*) from punctual.leases l where l.queue_limit = k.id)',
        replace: 'then 0',
      },
    ],
    killedBy: 'no fault at all: overcrowded',
  },
  {
    name: 'controlled-run-claimed-plainly',
    breaks: 'the plain form of the claim takes runs with a concurrency key like any other',
    edits: [
      {
        file: 'store/queries/work/claim-runs.sql',
        find: 'from found where traits & :traits.controlled <> 0',
        replace: 'from found where false',
      },
    ],
    killedBy: 'no fault at all: overcrowded',
  },
  {
    name: 'settle-without-fence',
    breaks: 'an outcome is accepted from any worker that held the run, not only the current one',
    edits: [
      {
        file: 'store/queries/work/settle-succeeded.sql',
        find: 'where l.run_id = i.run_id and l.fence = i.fence',
        replace: 'where l.run_id = i.run_id',
      },
      {
        file: 'store/queries/work/settle-all-succeeded.sql',
        find: 'sum(fence) = $12::numeric',
        replace: '(sum(fence) = $12::numeric or true)',
      },
    ],
    killedBy: 'stop: staleAccepted',
  },
  {
    name: 'crash-unrecorded',
    breaks: 'a run reclaimed from a dead worker has no record of the crash',
    edits: [
      {
        file: 'store/queries/upkeep/reap-sessions.sql',
        find: "    least(attempt + (fate = 'crashed')::integer, :attempts.counted),",
        replace: '    attempt,',
      },
      {
        file: 'store/queries/upkeep/reap-sessions.sql',
        find: '  on conflict (run_id, attempt) do nothing\n),\nended as (',
        replace: '  and false\n),\nended as (',
      },
    ],
    killedBy: 'kill9, stop: unflaggedDuplicates',
  },
  {
    name: 'give-back-running',
    breaks: 'a stopping worker gives back its running runs as if they had not started',
    edits: [
      {
        file: 'worker/dist/drain.js',
        find: "pipeline.giveBackUnstarted('give back')",
        replace:
          "pipeline.returns.giveBack('give back', runner.takeUnstarted().concat(" +
          'runner.attempts.map((attempt) => attempt.run)))',
      },
    ],
    killedBy: 'rolling: unflaggedDuplicates',
  },
  {
    name: 'settle-again-without-reading',
    breaks: 'after a lost answer, outcomes that the worker already settled count as refused',
    edits: [
      {
        file: 'store/dist/work/run-settlements.js',
        find: 'refused: await this.#notOurs(answer.refused, settlements)',
        replace: 'refused: answer.refused',
      },
    ],
    killedBy: 'commitReplyLost: staleAccepted',
  },
  {
    name: 'strays-forgotten',
    breaks: 'workers do not search for runs whose claim was committed but whose answer was lost',
    edits: [
      {
        file: 'worker/dist/claim/strays.js',
        find: 'const strays = await this.#store.strayLeases(sessionId, known);',
        replace: 'const strays = known.length < 0 ? known : [];',
      },
    ],
    killedBy: 'commitReplyLost: missing',
  },
  {
    name: 'submit-again-with-new-id',
    breaks: 'a submission whose answer was lost is repeated as another run',
    edits: [
      {
        file: 'store/dist/submit/submitter.js',
        find: 'this.inserts(runs, again)',
        replace:
          'this.inserts(again ? runs.map((run) => ' +
          '({ ...run, id: this.#ids.next(Date.now()) })) : runs, again)',
      },
    ],
    killedBy: 'commitReplyLost: duplicateAccepted',
  },
  {
    name: 'cursor-outside-transaction',
    breaks: "a job's cursor is committed before the decisions on its slots",
    edits: [
      {
        file: 'store/dist/plan/plan-store.js',
        find: 'const [moved] = await this.#database.runPrepared(client, call, DEADLINE_MS);',
        replace: `const [moved] = await this.#database.runPrepared(client, call, DEADLINE_MS);
        await client.query('commit');
        await client.query('begin');`,
      },
    ],
    killedBy: 'commitReplyLost, kill9 of a planner: missing',
  },
  {
    name: 'effect-outside-transaction',
    breaks: "a handler's writes are committed before its lease is checked",
    edits: [
      {
        file: 'store/dist/work/handler-transactions.js',
        find: 'const value = await work(client);',
        replace: "const value = await work(client); await client.query('commit; begin');",
      },
    ],
    killedBy: 'stop, blackhole, commitReplyLost: duplicateAccepted',
  },
  {
    name: 'remote-settle-unfenced',
    breaks: 'an API node settles a run for any session that names it, not only for its holder',
    edits: [
      {
        file: 'store/queries/work/read-leases.sql',
        find: 'where run_id = i.run_id and session_id = $1::bigint',
        replace: 'where run_id = i.run_id and $1::bigint is not null',
      },
      {
        file: 'api/dist/worker-sessions/remote-outcomes.js',
        find: 'lease?.fence === BigInt(outcome.fence) ? lease : null',
        replace: 'lease ?? null',
      },
      {
        file: 'api/dist/worker-sessions/known-leases.js',
        find: 'if (lease?.fence === BigInt(fence))',
        replace: 'if (fence === null)',
      },
      {
        file: 'api/dist/worker-sessions/worker-sessions.js',
        find: 'if (session && session.tenantId === tenantId)',
        replace:
          'if (!session && isToken(id)) ' +
          'return { id, tenantId, handlers: [], queues: [], leaseMs: 5000, drains: false, openMs: 3600000 };\n' +
          '        if (session && session.tenantId === tenantId)',
      },
    ],
    killedBy: 'stop of a remote worker: staleAccepted',
  },
  {
    name: 'answer-kept-apart',
    breaks: 'the answer to a request is stored in a separate transaction after its change',
    edits: [
      {
        file: 'api/dist/http/shared-transactions.js',
        find: 'const transaction = () => service.transaction(async () => {',
        replace: 'let keep;\n    const changed = () => service.transaction(async () => {',
      },
      {
        file: 'api/dist/http/shared-transactions.js',
        find: 'await service.requests.answered(tenantId, kept);',
        replace: 'keep = () => service.requests.answered(tenantId, kept);',
      },
      {
        file: 'api/dist/http/shared-transactions.js',
        find: '    return within(scope, { service, tenantId }, transaction);',
        replace: `    const transaction = () => changed().then(async (outcomes) => {
        if (keep) await service.transaction(keep);
        return outcomes;
    });
    return within(scope, { service, tenantId }, transaction);`,
      },
    ],
    killedBy: 'nodeKill9: duplicateAccepted',
  },
]

/** The mutants that the campaign, or a profile, must notice. */
export function mutantsOf(profile: 'hostile-tenant' | null): readonly Mutant[] {
  return profile === null ? mutants : hostileTenantMutants
}

export function findMutant(name: string, profile: 'hostile-tenant' | null): Mutant {
  const known = mutantsOf(profile)
  const found = known.find((mutant) => mutant.name === name)
  if (found) return found
  const names = known.map((mutant) => mutant.name).join(', ')
  throw new Error(`Unknown mutant ${name}. Known mutants: ${names}.`)
}
