/** What runners say of themselves, and when they were in contact: kept with the runner, and with the machine that uses its token. */
import { type Static, Type } from 'typebox'
import type { Db } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { CiRunner, CiRunnerManager } from '../../../db/tables.ts'
import { text } from '../../../http/parameters/schema.ts'
import { managerBySystem, saveManager, updateRunner } from './runners.queries.ts'

const word = Type.Optional(text(1024))

/** `info` of registrations and requests. */
export const RunnerInfo = Type.Object(
  {
    ...{ name: word, version: word, revision: word, platform: word, architecture: word, executor: word },
    features: Type.Optional(
      Type.Object({
        cancel_gracefully: Type.Optional(Type.Boolean({ description: 'Whether it runs `after_script` when a job is canceled' })),
      }),
    ),
  },
  { description: 'What the runner says of itself' },
)

/** The id of a machine, as it chose it. */
export const systemId = Type.Optional(text(255))

export type Info = Partial<Static<typeof RunnerInfo>>

/** Contacts are noted as seldom as that, unless something else has changed: idle runners ask every few seconds. */
const noted_ms = 10 * 60_000

const told = ['version', 'revision', 'platform', 'architecture', 'executor'] as const

/** The columns for what was said, shortened to what is kept. */
export function infoColumns(info: Info | undefined, ip_address: string) {
  const said = Object.fromEntries(told.flatMap((name) => (info?.[name] ? [[name, info[name].slice(0, 255)]] : [])))
  return { ...(said as Partial<Record<(typeof told)[number], string>>), ip_address }
}

/**
 * Notes a contact. Returns the id of the machine; null where it gives no `system_id`, as agents before 16.0.
 * @param info undefined where the request has none: what was said before stays
 */
export async function noteContact(
  db: Db,
  runner: CiRunner,
  { info, ip, system_id }: { info: Info | undefined; ip: string; system_id: string | undefined },
): Promise<number | null> {
  const columns = infoColumns(info, ip)
  if (isNews(runner, columns)) await updateRunner(db, runner.id, { ...columns, contacted_at: now() })
  if (!system_id) return null
  const [known] = await managerBySystem(db, runner.id, system_id)
  if (known && !isNews(known, columns)) return known.id
  return saveManager(db, { runner_id: runner.id, system_id, ...columns, contacted_at: now() })
}

function isNews(row: CiRunner | CiRunnerManager, columns: ReturnType<typeof infoColumns>): boolean {
  if (row.contacted_at === null || Date.now() - Date.parse(row.contacted_at) > noted_ms) return true
  return Object.entries(columns).some(([name, value]) => row[name as 'version'] !== value)
}
