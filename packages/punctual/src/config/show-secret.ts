/** What may be shown of a setting that holds a password. */
import { prefixOfApiKey } from '@punctual/core/identity'
import { redactUrl } from '@punctual/store'

export function showUrl(url: string): string {
  const shown = redactUrl(url)
  // Whatever else stands before an @ may be a part of a password that was not escaped.
  return shown.replace(':***@', '').includes('@') && !/^[a-z]+:\/\/[\w.%~-]+@[^@]*$/.test(shown)
    ? '*** (not shown: it is not a well-formed URL)'
    : shown
}

export type SecretKind = 'url' | 'key'

/** Enough to recognise it, too little to use it. */
export function showSecret(kind: SecretKind, value: string): string {
  if (kind === 'url') return showUrl(value)
  const prefix = prefixOfApiKey(value)
  return prefix === null ? '*** (not shown: it is not a whole key)' : `${prefix}…`
}
