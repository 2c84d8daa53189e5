/** The side of `Program` in the process that answers. */
interface Asked {
  readonly number: number
  readonly question: string
  readonly argument: unknown
}

// biome-ignore lint/suspicious/noExplicitAny: parent and child agree on the arguments
type Answers = Readonly<Record<string, (argument: any) => unknown>>

/** Answers questions by their names, and reports that the process is ready. */
export function answerQuestions(answers: Answers): void {
  process.on('message', async ({ number, question, argument }: Asked) => {
    try {
      const find = answers[question]
      if (!find) throw new Error(`this process does not answer ${question}`)
      process.send?.({ answers: number, answer: await find(argument) })
    } catch (error) {
      process.send?.({ answers: number, error: (error as Error).message })
    }
  })
  process.on('SIGTERM', () => process.exit(0))
  // The parent is gone: no other process would end this one.
  process.on('disconnect', () => process.exit(0))
  process.send?.({ ready: true })
}
