/** Write counters on PostgreSQL, which tell whether a query would return the same result again (migration 0033). */
import { sql } from 'kysely'
import type { Db } from './database.ts'
import { capabilitiesOf } from './engine/capabilities.ts'
import { unmetered } from './metered-database.ts'

/** Indexes into the list of numbers that `written_so_far` returns. */
export type Counters = number[]

interface Table {
  name: string
  /** Null if its writes are not counted. */
  counter: string | null
  /** Counts no new rows; null if that isn't counted apart. */
  old_counter: string | null
  /** Columns whose changes are not counted. */
  uncounted: string[]
}

interface Schema {
  tables: Table[]
  counters: string[]
  /** Counters by statement, for statements seen before. */
  known: Map<string, Counters | null>
}

const perDatabase = new WeakMap<object, Promise<Schema>>()
const maxKnown = 5_000

/**
 * The counters of everything that the statement may read, by the names in it; null if one of its tables or columns has none. The first call
 * takes two statements.
 * @param oldRowsOf tables of which new rows don't change the result
 */
export async function countersIn(db: Db, statement: string, oldRowsOf: readonly string[] = []): Promise<Counters | null> {
  const schema = await schemaOf(db)
  const { known } = schema
  const key = oldRowsOf.length === 0 ? statement : `${oldRowsOf.join(' ')} ${statement}`
  const before = known.get(key)
  if (before !== undefined) return before
  const found = namedIn(statement, oldRowsOf, schema)
  if (known.size >= maxKnown) known.clear()
  known.set(key, found)
  return found
}

/** The last id drawn for a row of the table, from the numbers that `written_so_far` returned; null for a table that isn't among them. */
export async function lastIdIn(db: Db, numbers: string[], table: string): Promise<number | null> {
  const place = (await schemaOf(db)).counters.indexOf(`${table}_id_seq`) + 1
  return place === 0 ? null : Number(numbers[place])
}

function schemaOf(db: Db): Promise<Schema> {
  const { adapter } = db.getExecutor()
  const reading = perDatabase.get(adapter) ?? readSchema(unmetered(db))
  perDatabase.set(adapter, reading)
  reading.catch(() => perDatabase.delete(adapter))
  return reading
}

/** Reads which writes are counted, so that no list has to wait for it. Does nothing on SQLite. */
export async function prepareCounters(db: Db): Promise<void> {
  if (!capabilitiesOf(db).changes) await countersIn(db, '')
}

function namedIn(statement: string, oldRowsOf: readonly string[], { tables, counters }: Schema): Counters | null {
  const words = new Set(statement.match(/\w+/g))
  const isOfAll = statement.replaceAll('count(*)', '').includes('*')
  const places = new Set<number>()
  for (const { name, uncounted, ...counts } of tables) {
    if (!words.has(name)) continue
    const counter = (oldRowsOf.includes(name) ? counts.old_counter : null) ?? counts.counter
    const place = counter === null ? 0 : counters.indexOf(counter) + 1
    if (place === 0 || uncounted.some((column) => isOfAll || words.has(column))) return null
    places.add(place)
  }
  return places.size === 0 ? null : [...places]
}

/** The numbers of these counters as one text, with the start time of the server, since a crash may lose some counts. */
export function numbersOf(numbers: string[], counters: Counters): string {
  return [0, ...counters].map((place) => numbers[place]).join(' ')
}

/** Reads from the triggers of the database which writes they count. */
async function readSchema(db: Db): Promise<Schema> {
  const { rows } = await sql<Table>`
    select relname as name, ${argumentOf('written')} as counter, ${argumentOf('changed')} as old_counter,
      coalesce((select array_agg(attname::text) from pg_attribute
        where attrelid = pg_class.oid and attnum > 0 and not attisdropped and written.tgattr is not null
          and array_length(written.tgattr::int2[], 1) > 0 and attnum <> all (written.tgattr::int2[])), '{}') as uncounted
    from pg_class left join pg_trigger as written on written.tgrelid = pg_class.oid and written.tgname = relname || '_written'
      left join pg_trigger as changed on changed.tgrelid = pg_class.oid and changed.tgname = relname || '_changed'
    where relkind in ('r', 'p', 'v', 'm') and relnamespace = current_schema()::regnamespace`.execute(db)
  const { rows: called } = await sql<{ source: string }>`select prosrc as source from pg_proc
    where proname = 'written_so_far' and pronamespace = current_schema()::regnamespace`.execute(db)
  return { tables: rows, counters: called[0]?.source.match(/\b(?:writes_to_\w+|\w+_id_seq)\b/g) ?? [], known: new Map() }
}

/** The sequence that a trigger draws from; null without the trigger. */
function argumentOf(trigger: 'written' | 'changed') {
  const given = sql.ref(`${trigger}.tgargs`)
  return sql<string | null>`convert_from(substring(${given} for greatest(position('\\x00'::bytea in ${given}) - 1, 0)), 'UTF8')`
}
