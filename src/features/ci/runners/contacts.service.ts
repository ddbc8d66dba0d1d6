/** Stores when runners last reported, and their descriptions of themselves, with the runner and with the machine that uses its token. */
import { type Static, Type } from 'typebox'
import type { Db } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { CiRunner, CiRunnerManager } from '../../../db/tables.ts'
import { text } from '../../../http/parameters/schema.ts'
import { managerBySystem, saveManager, updateRunner } from './runners.queries.ts'

const word = Type.Optional(text(1024))

/** `info` in registrations and requests. */
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

/** The id of a machine, which it chooses itself. */
export const systemId = Type.Optional(text(255))

export type Info = Partial<Static<typeof RunnerInfo>>

/** Contacts are recorded only this often, unless something else has changed: idle runners ask every few seconds. */
const noted_ms = 10 * 60_000

const told = ['version', 'revision', 'platform', 'architecture', 'executor'] as const

/** The columns for the reported values, shortened to their limits. */
export function infoColumns(info: Info | undefined, ip_address: string) {
  const said = Object.fromEntries(told.flatMap((name) => (info?.[name] ? [[name, info[name].slice(0, 255)]] : [])))
  return { ...(said as Partial<Record<(typeof told)[number], string>>), ip_address }
}

/**
 * Records a contact. Returns the id of the machine; null if it sends no `system_id`, like agents before 16.0.
 * @param info undefined if the request has none; earlier values are kept then
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
