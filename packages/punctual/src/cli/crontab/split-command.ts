/**
 * Splits the command of a crontab line as cron does: an unescaped % ends the command, the rest is
 * its standard input, and each further % is a line break. `\%` is a plain %.
 */
export function splitCommand(
  text: string,
  notes: string[],
): { command: string; stdin: string | null } {
  const parts = text.split(/(?<!\\)%/).map((part) => part.replaceAll('\\%', '%'))
  const [command = '', ...input] = parts
  if (/\\$/.test(text)) notes.push('the line ends in a backslash, but cron does not join lines')
  if (text.includes('\\%')) notes.push('\\% becomes a plain %')
  if (input.length === 0) return { command: command.trim(), stdin: null }
  notes.push('the text after the first % is standard input, and each further % is a line break')
  const stdin = input.join('\n')
  // cron ends the input with a line break too.
  return { command: command.trim(), stdin: stdin.endsWith('\n') ? stdin : `${stdin}\n` }
}
