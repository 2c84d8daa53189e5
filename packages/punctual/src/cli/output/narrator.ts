/**
 * Prints the events of the sample: one aligned line each on a terminal, one JSON line each
 * elsewhere.
 */
import type { Narrator, StoryEvent } from '../../sample/narrator.ts'
import type { Terminal } from '../runtime/terminal.ts'
import { clockTime, type NodeLog } from './log.ts'
import { stateColour } from './state-colour.ts'

const HANDLER_WIDTH = 16

export function createNarrator(log: NodeLog, terminal: Terminal): Narrator {
  if (!log.pretty)
    return {
      event: ({ message, ...fields }) => log.info(fields, message),
      say: (lines, fields = {}) => log.info(fields, lines.join(' ').replace(/\s+/g, ' ').trim()),
    }
  return {
    event: (event) => terminal.line(lineOf(event, terminal)),
    say: (lines) => {
      for (const line of lines) terminal.line(line)
    },
  }
}

function lineOf({ at, word, handler, attempt, message }: StoryEvent, { colors }: Terminal): string {
  const state = stateColour(colors, word, word.replace('_', ' ').padEnd(9))
  const tries = (attempt ? `attempt ${attempt}` : '').padEnd(11)
  return `${colors.dim(clockTime(at))}  ${state}  ${handler.padEnd(HANDLER_WIDTH)}  ${colors.dim(tries)}  ${message}`
}
