/** What every job of the bench carries: 200 bytes of JSON. */
const BYTES = 200
const FIELDS = {
  to: 'someone@example.org',
  subject: 'Your weekly report is ready',
  team: 'billing',
}

/** @param {object} more  fields that a scenario adds */
export function jobPayload(more = {}) {
  const bare = { ...FIELDS, ...more, note: '' }
  return { ...bare, note: 'x'.repeat(Math.max(0, BYTES - JSON.stringify(bare).length)) }
}
