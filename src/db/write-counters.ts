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
 */
export async function countersIn(db: Db, statement: string): Promise<Counters | null> {
  const { adapter } = db.getExecutor()
  const reading = perDatabase.get(adapter) ?? readSchema(unmetered(db))
  perDatabase.set(adapter, reading)
  reading.catch(() => perDatabase.delete(adapter))
  const schema = await reading
  const { known } = schema
  const before = known.get(statement)
  if (before !== undefined) return before
  const found = namedIn(statement, schema)
  if (known.size >= maxKnown) known.clear()
  known.set(statement, found)
  return found
}

/** Reads which writes are counted, so that no list has to wait for it. Does nothing on SQLite. */
export async function prepareCounters(db: Db): Promise<void> {
  if (!capabilitiesOf(db).changes) await countersIn(db, '')
}

function namedIn(statement: string, { tables, counters }: Schema): Counters | null {
  const words = new Set(statement.match(/\w+/g))
  const isOfAll = statement.replaceAll('count(*)', '').includes('*')
  const places = new Set<number>()
  for (const { name, counter, uncounted } of tables) {
    if (!words.has(name)) continue
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
    select relname as name, convert_from(substring(tgargs for greatest(position('\\x00'::bytea in tgargs) - 1, 0)), 'UTF8') as counter,
      coalesce((select array_agg(attname::text) from pg_attribute
        where attrelid = pg_class.oid and attnum > 0 and not attisdropped
          and tgattr is not null and array_length(tgattr::int2[], 1) > 0 and attnum <> all (tgattr::int2[])), '{}') as uncounted
    from pg_class left join pg_trigger on tgrelid = pg_class.oid and tgname = relname || '_written'
    where relkind in ('r', 'p', 'v', 'm') and relnamespace = current_schema()::regnamespace`.execute(db)
  const { rows: called } = await sql<{ source: string }>`select prosrc as source from pg_proc
    where proname = 'written_so_far' and pronamespace = current_schema()::regnamespace`.execute(db)
  return { tables: rows, counters: called[0]?.source.match(/\bwrites_to_\w+/g) ?? [], known: new Map() }
}
