/**
 * The command of a crontab line as cron runs it: an unescaped % ends it, what follows is its standard input, and
 * each further % there is a line break. `\%` is a plain %.
 */
export function splitCommand(
  text: string,
  notes: string[],
): { command: string; stdin: string | null } {
  const parts = text.split(/(?<!\\)%/).map((part) => part.replaceAll('\\%', '%'))
  const [command = '', ...input] = parts
  if (/\\$/.test(text)) notes.push('it ends in a backslash, but cron does not join lines')
  if (text.includes('\\%')) notes.push('\\% is a plain %')
  if (input.length === 0) return { command: command.trim(), stdin: null }
  notes.push('what follows the first % is its standard input, and each further % a line break')
  const stdin = input.join('\n')
  // cron ends the input with a line break.
  return { command: command.trim(), stdin: stdin.endsWith('\n') ? stdin : `${stdin}\n` }
}
