/** What is wrong with one line refuses all of them. */
export class WrongLine extends Error {
  readonly line: number

  constructor(cause: Error, line: number) {
    super(cause.message, { cause })
    this.line = line
  }
}
