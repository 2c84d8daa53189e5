/**
 * An option of a submission or of a job, as a row of data. Validation, request schemas, wire names,
 * flags, the keys of a jobs file and the tables of the documentation are derived from the rows.
 */

/**
 * The form of a value, as data. The HTTP API derives its schemas from it, the command line its
 * flags, and the reference page the values that it lists.
 */
export type Form =
  | { readonly type: 'integer' | 'duration'; readonly min: number; readonly max: number }
  /** Milliseconds, with a fraction. */
  | { readonly type: 'delay'; readonly max: number }
  /** A duration: milliseconds, or a string with a unit. */
  | { readonly type: 'span'; readonly max: number }
  | { readonly type: 'text'; readonly max: number }
  | { readonly type: 'choice'; readonly values: readonly string[] }
  | { readonly type: 'switch' }
  | { readonly type: 'instant' }
  /** A duration or an ISO 8601 period, which may have months. */
  | { readonly type: 'period' }
  | { readonly type: 'labels' }
  /** `length`: of each string; that of names when left out. */
  | { readonly type: 'list'; readonly max: number; readonly of: string; readonly length?: number }
  /** An object of strings, such as headers. */
  | { readonly type: 'texts'; readonly max: number; readonly length: number }
  | { readonly type: 'json' }
  /** A key of flow control: a string, or the path of a payload field. */
  | { readonly type: 'flow-key' }
  | { readonly type: 'per'; readonly units: readonly string[]; readonly max: number }
  | { readonly type: 'backoff' }
  /** An object; `shorthand` is the member whose value may stand for the whole object. */
  | { readonly type: 'members'; readonly members: OptionTable; readonly shorthand?: string }
  /** An object whose member `kind` says which other members it has. */
  | { readonly type: 'variants'; readonly variants: Readonly<Record<string, OptionTable>> }

export type FormOf<Type extends Form['type']> = Extract<Form, { readonly type: Type }>

/** A kind of values: their form, and the check that every value passes. */
export interface Kind<Given, Checked = Given> {
  readonly form: Form
  /** Returns the value as it is used inside; refuses any other. */
  readonly check: (field: string, value: unknown) => Checked
  /** Never set: it carries the type of the values that callers write. */
  readonly given?: Given
}

export interface Option<Given = unknown, Checked = unknown> {
  readonly kind: Kind<Given, Checked>
  /** One line for flags and schemas: lower case, without a period. */
  readonly help: string
  /** Markdown for the guides; links are relative to `docs`. @default help */
  readonly guide?: string
  /** A typical value, for schemas. */
  readonly example?: string
  /** The option must be given. */
  readonly required?: true
  /** Applies when the option is not given. */
  readonly default?: string | number | boolean
  /** Shown instead of the default when that is not a plain value. */
  readonly defaultShown?: string
  /** The flag with its value, as in `--priority <n>`; null when there is none. */
  readonly flag: string | null
  /** Replaces `help` where the flag takes another form than the option. */
  readonly flagHelp?: string
  /**
   * The members of a request that stand for the option; none when requests cannot set it.
   * @default the name of the option in snake_case
   */
  readonly wire?: readonly string[]
  /** Why a jobs file must not contain the option. @default a jobs file may contain it */
  readonly notInFile?: string
  /**
   * The JSON object in which the checked value is stored under the option's name: the policy of a
   * run, or the rules of a job. @default the compiler of the options handles the value
   */
  readonly stored?: 'policy' | 'rules'
}

export type OptionTable = Readonly<Record<string, Option>>

type GivenOf<Row> = Row extends { readonly kind: Kind<infer Given, unknown> } ? Given : never
type CheckedOf<Row> = Row extends { readonly kind: Kind<unknown, infer Checked> } ? Checked : never
type Required<Table> = {
  [Name in keyof Table]: Table[Name] extends { readonly required: true } ? Name : never
}[keyof Table]

/** The options as callers write them. */
export type OptionsOf<Table> = {
  -readonly [Name in Exclude<keyof Table, Required<Table>>]?: GivenOf<Table[Name]>
} & { -readonly [Name in Required<Table>]: GivenOf<Table[Name]> }

/** The values of the options that were given, after the check of each. */
export type CheckedOptions<Table> = {
  readonly [Name in keyof Table]?: CheckedOf<Table[Name]>
}

type StoredIn<Table, Stored> = {
  [Name in keyof Table]: Table[Name] extends { readonly stored: Stored } ? Name : never
}[keyof Table]

/** The names of the options that are stored in this JSON object. */
export function storedIn<Table extends OptionTable, const Stored extends 'policy' | 'rules'>(
  table: Table,
  stored: Stored,
): readonly StoredIn<Table, Stored>[] {
  // The filter is what the type says.
  return Object.keys(table).filter((name) => table[name]?.stored === stored) as never
}

/** The members of a request that stand for an option, the preferred one first. */
export function wireNamesOf(name: string, { wire }: Option): readonly string[] {
  return wire ?? [name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)]
}
