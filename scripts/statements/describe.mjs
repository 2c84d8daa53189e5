/**
 * Asks a migrated database what each statement takes and returns: types of parameters, and name,
 * type and origin of columns. Nothing is executed.
 */

/** A statement that is parsed and described, and never executed. */
class Description {
  #text
  #settle
  #parameters = []
  #columns = []
  #error

  constructor(text, settle) {
    this.#text = text
    this.#settle = settle
  }

  submit(connection) {
    connection.once('parameterDescription', ({ dataTypeIDs }) => {
      this.#parameters = dataTypeIDs
    })
    connection.parse({ text: this.#text, name: '', types: [] })
    connection.describe({ type: 'S', name: '' })
    connection.sync()
  }

  handleRowDescription({ fields }) {
    this.#columns = fields
  }

  handleError(error) {
    this.#error = error
  }

  handleReadyForQuery() {
    this.#settle(this.#error, { parameters: this.#parameters, columns: this.#columns })
  }
}

function describeOne(client, text) {
  return new Promise((resolve, reject) => {
    client.query(new Description(text, (error, found) => (error ? reject(error) : resolve(found))))
  })
}

export async function describeStatements(client, texts) {
  const types = new Map(
    (await client.query('select oid, typname from pg_type')).rows.map((t) => [t.oid, t.typname]),
  )
  const origins = new Map(
    (
      await client.query(
        `select a.attrelid, a.attnum, coalesce(p.relname, c.relname) as relation, a.attname, a.attnotnull
         from pg_attribute a join pg_class c on c.oid = a.attrelid
         left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
         where c.relnamespace = 'punctual'::regnamespace and a.attnum > 0 and c.relkind in ('r', 'p')`,
      )
    ).rows.map((a) => [`${a.attrelid}.${a.attnum}`, a]),
  )
  const described = new Map()
  for (const [path, text] of texts) {
    const { parameters, columns } = await describeOne(client, text).catch((error) => {
      throw new Error(`${path}: ${error.message}`, { cause: error })
    })
    described.set(path, {
      parameters: parameters.map((oid) => types.get(oid)),
      columns: columns.map(({ name, dataTypeID, tableID, columnID }) => {
        const origin = origins.get(`${tableID}.${columnID}`)
        return {
          name,
          type: types.get(dataTypeID),
          origin: origin ? `${origin.relation}.${origin.attname}` : null,
          required: origin?.attnotnull ?? false,
        }
      }),
    })
  }
  return described
}
