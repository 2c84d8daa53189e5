/** The names of stored codes, by code. */
export function namesOfCodes<Name extends string>(
  codes: Record<Name, number>,
): ReadonlyMap<number, Name> {
  const names = Object.entries(codes) as [Name, number][]
  return new Map(names.map(([name, code]) => [code, name]))
}
