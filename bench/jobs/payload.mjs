/** The payload of every job of the bench: 200 bytes of JSON. */
const BYTES = 200
const FIELDS = {
  to: 'someone@example.org',
  subject: 'Your weekly report is ready',
  team: 'billing',
}

/** @param {object} more  fields added by a scenario */
export function jobPayload(more = {}) {
  const bare = { ...FIELDS, ...more, note: '' }
  return { ...bare, note: 'x'.repeat(Math.max(0, BYTES - JSON.stringify(bare).length)) }
}
