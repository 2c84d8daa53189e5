/** An error in one line, which refuses the whole request. */
export class WrongLine extends Error {
  readonly line: number

  constructor(cause: Error, line: number) {
    super(cause.message, { cause })
    this.line = line
  }
}
