/** Who is refused sign-ins and mail now: the counts of `rate-limit.ts` that are full. */
import type { Db } from '../../db/database.ts'
import { now } from '../../db/instants.ts'
import type { Instant } from '../../db/tables.ts'
import { refusingCounts } from './rate-limit.ts'

export type RefusingCount = keyof typeof refusingCounts

export interface FullCount {
  name: RefusingCount
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

/** Those that last longest first; at most a hundred. */
export async function fullCounts(db: Db): Promise<FullCount[]> {
  const rows = await db
    .selectFrom('sign_in_failures')
    .select(['key', 'failures', 'ends_at', 'user_id'])
    .where('ends_at', '>', now())
    .where((eb) =>
      eb.or(
        names.map((name) => eb.and([eb('key', 'like', `${refusingCounts[name][0]}%`), eb('failures', '>=', refusingCounts[name][1].max)])),
      ),
    )
    .orderBy('ends_at', 'desc')
    .orderBy('key')
    .limit(100)
    .execute()
  return rows.flatMap(({ key, failures, ends_at, user_id }) => {
    const name = names.find((one) => key.startsWith(refusingCounts[one][0]))
    if (name === undefined) return []
    const [prefix, { max }] = refusingCounts[name]
    const counted = key.slice(prefix.length)
    const network = ofNetworks.includes(name) ? counted : null
    return [{ name, network, user_id: name === 'invitations' ? Number(counted) : user_id, count: failures, max, until: ends_at }]
  })
}
