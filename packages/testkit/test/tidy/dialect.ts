/**
 * Phrases that a reader has to translate, each with the plain form. docs/style.md explains the voice; this list keeps the
 * phrases out of comments, messages, docs and test titles.
 */

export interface Phrase {
  readonly pattern: RegExp
  /** What to write instead. */
  readonly plain: string
}

export const dialect: readonly Phrase[] = [
  { pattern: /\bbut [^.;]{1,60} came\b/i, plain: 'got …' },
  { pattern: /\b(?:goes|go|going|went) on\b(?! (?:the|a) )/i, plain: 'continues, is running' },
  { pattern: /\bwhoever\b/i, plain: 'the noun: the caller, another session' },
  { pattern: /\bsomebody\b|\banybody\b/i, plain: 'the noun: a user, another process' },
  {
    pattern: /\bpass(?:es|ed)? (?:\w+ )?by\b(?! (?:value|reference|name|the caller))/i,
    plain: 'skips',
  },
  { pattern: /\bof late\b/i, plain: 'recently' },
  { pattern: /\b(?:heard|hears?) of\b/i, plain: 'is notified of, last heartbeat' },
  { pattern: /\b(?:is|are|was|were|be|been) told\b/i, plain: 'is reported, receives' },
  {
    pattern: /\btells? (?:of|that|whether|when|what|which|how)\b/i,
    plain: 'reports, returns, shows',
  },
  { pattern: /\bthat are none\b|\bwhat is no\b|\bthat is none\b/i, plain: 'a non-…, an invalid …' },
  {
    pattern: /\bof (?:its|their|his|one's|your) own\b(?! [a-z])/i,
    plain: 'its own …, separate, dedicated',
  },
  { pattern: /\bput right\b|\bmend(?:s|ed|ing)?\b/i, plain: 'repair, fix' },
  {
    pattern: /\b(?:is|are|was|were) (?:not )?there\b(?! (?:a|an|any|no)\b)/i,
    plain: 'exists, is missing',
  },
  { pattern: /\b(?:at most|for|after|as) so (?:many|much|long)\b/i, plain: 'N, this long' },
  {
    pattern: /\bso (?:many|long) (?:after|at once|at most|ahead|before)\b/i,
    plain: 'N, this long',
  },
  { pattern: /\bagain and again\b/i, plain: 'repeatedly' },
  { pattern: /\bwhole numbers?\b/i, plain: 'integer' },
  { pattern: /\bfor people\b|\bwhat people\b/i, plain: 'for humans, what users' },
  { pattern: /\bin the hands of\b/i, plain: 'held by' },
  { pattern: /\bma(?:kes?|de) up for\b/i, plain: 'catches up' },
  { pattern: /\bmoments?\b/i, plain: 'instant, slot, deadline, a short time' },
  { pattern: /\bconversations?\b/i, plain: 'pooled client, transaction' },
  { pattern: /\bbehind (?:a|the|its) wall\b|\b(?:second|tenant) wall\b/i, plain: 'row security' },
  { pattern: /\bfree of charge\b|\bby and by\b|\bnow and then\b/i, plain: 'occasionally' },
  { pattern: /\bask(?:s|ed|ing)? again\b/i, plain: 'retry, repeat the request' },
  { pattern: /\bno more than once\b/i, plain: 'at most once' },
  { pattern: /\bhas? room\b|\bhave room\b/i, plain: 'has capacity' },
]

/** Names of values that say nothing about the value. */
export const emptyName =
  /\b(?:const|let|var) (?:\{[^}]*)?\b(?:of|it|told|came|about|asked|beside|apart)\b(?= ?[=:,};])|[(,] ?(?:of|it|told|came|about|beside|apart)(?=(?:: [\w<>[\]| ]+)?[,)] ?(?:=>|:|\{)|: [\w<])|\b(?:it|of|told) =>/

/** Comments that open with a relative clause instead of their subject. */
export const relativeOpening =
  /^\s*(?:\/\*\*?|\/\/|\*|--)\s+(?:What|Whoever|Whatever|Those|One that|Of)\s/
