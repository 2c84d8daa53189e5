/** How settings that contain a password or a key are shown. */
import { prefixOfApiKey } from '@punctual/core/identity'
import { redactUrl } from '@punctual/store'

export function showUrl(url: string): string {
  const shown = redactUrl(url)
  // Other text before an @ may be part of a password that was not escaped.
  return shown.replace(':***@', '').includes('@') && !/^[a-z]+:\/\/[\w.%~-]+@[^@]*$/.test(shown)
    ? '*** (not shown: it is not a well-formed URL)'
    : shown
}

export type SecretKind = 'url' | 'key' | 'token'

/** Shows enough to recognise the value, and too little to use it. */
export function showSecret(kind: SecretKind, value: string): string {
  if (kind === 'url') return showUrl(value)
  if (kind === 'token') return '*** (not shown)'
  const prefix = prefixOfApiKey(value)
  return prefix === null ? '*** (not shown: it is not a complete key)' : `${prefix}…`
}
