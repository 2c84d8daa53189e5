/** Refuses strict submissions when no live worker has their handler. */
import { PunctualError } from '@punctual/core/errors'
import type { Submission } from '@punctual/core/submit'
import type { PostgresStore } from '@punctual/store'
import type { Handlers } from './handlers.ts'

export async function checkStrict(
  submissions: readonly Submission[],
  handlers: Handlers,
  store: PostgresStore,
  tenantId: number,
): Promise<void> {
  for (const { options } of submissions)
    if (
      options.strict &&
      !handlers.all.has(options.handler) &&
      !(await store.workers.hasHandler(options.handler, options.queue, tenantId))
    )
      throw new PunctualError(
        'handler_unknown',
        `No live worker has the handler ${JSON.stringify(options.handler)} for the queue ${JSON.stringify(options.queue)}. Start one, or submit without strict.`,
        { field: 'handler' },
      )
}
