/** Lists the counters of `rate-limit.ts` that are full: they refuse sign-ins and mail now. */
import type { Selectable } from 'kysely'
import type { Db } from '../../db/database.ts'
import { now } from '../../db/instants.ts'
import type { Instant, SignInFailureTable } from '../../db/tables.ts'
import { type RefusingCount, refusingCounts } from './rate-limit.ts'

export interface FullCount {
  name: RefusingCount
  /** Names it for `liftCount`. */
  key: string
  /** Null where a login, an account or an address of mail is counted. */
  network: string | null
  /** Null where it is nobody's login, and where a network or an address of mail is counted. */
  user_id: number | null
  count: number
  max: number
  until: Instant
}

const names = Object.keys(refusingCounts) as RefusingCount[]
const ofNetworks: readonly RefusingCount[] = ['passwords_of_network', 'deploy_tokens', 'sign_ups', 'mails_of_network']

const columns = ['key', 'failures', 'ends_at', 'user_id'] as const

type Counted = Pick<Selectable<SignInFailureTable>, (typeof columns)[number]>

/** At most a hundred counters, those that stay full longest first. */
export async function fullCounts(db: Db): Promise<FullCount[]> {
  const rows = await db
    .selectFrom('sign_in_failures')
    .select(columns)
    .where('ends_at', '>', now())
    .where((eb) =>
      eb.or(
        names.map((name) => eb.and([eb('key', 'like', `${refusingCounts[name].prefix}%`), eb('failures', '>=', refusingCounts[name].max)])),
      ),
    )
    .orderBy('ends_at', 'desc')
    .orderBy('key')
    .limit(100)
    .execute()
  return rows.flatMap((row) => fullCountOf(row) ?? [])
}

/** Forgets a count that refuses somebody, and how often it has done so; null if it refuses nobody any more. */
export async function liftCount(db: Db, key: string): Promise<FullCount | null> {
  const name = nameOf(key)
  if (name === undefined) return null
  const row = await db
    .deleteFrom('sign_in_failures')
    .where('key', '=', key)
    .where('ends_at', '>', now())
    .where('failures', '>=', refusingCounts[name].max)
    .returning(columns)
    .executeTakeFirst()
  return row ? fullCountOf(row) : null
}

function nameOf(key: string): RefusingCount | undefined {
  return names.find((name) => key.startsWith(refusingCounts[name].prefix))
}

/** Null for a count that refuses nobody by itself. */
function fullCountOf({ key, failures, ends_at, user_id }: Counted): FullCount | null {
  const name = nameOf(key)
  if (name === undefined) return null
  const { prefix, max } = refusingCounts[name]
  const counted = key.slice(prefix.length)
  const network = ofNetworks.includes(name) ? counted : null
  return { name, key, network, user_id: name === 'invitations' ? Number(counted) : user_id, count: failures, max, until: ends_at }
}
