/** Which hostile values are sent where, within a budget in the gate. */
import { engine } from '../../support/database.ts'
import { firstOfEach, isSampled, lotOf, sampled } from '../world/budgets.ts'
import { kindOf, labelOf, type Place, places } from './hostile-places.ts'
import {
  brokenBytes,
  type Hostile,
  type HostileGroups,
  type HostileOptions,
  hostilePaths,
  hostileProse,
  hostileRefs,
} from './hostile-values.ts'

export const sendsAll = process.env.GITSTEAD_TEST_HOSTILE === 'every'

/** The HTTP parser rejects longer URLs. */
const longestAddress = 15_000

export type Targets = Pick<HostileOptions, 'shortened' | 'target'>

const isReader = ({ one }: Place) => one.endpoint.method === 'GET'

const readers = places.filter(isReader)
const writers = places.filter((place) => !isReader(place))
/** Places of each kind that read the value in different ways. */
const ofEachKind = new Set(firstOfEach(readers, kindOf))
/** Places whose value git reads: one for each combination of revision or path, in the path of the request or in its query. */
const ofGit = new Set(firstOfEach(readers.filter(isReadByGit), ({ name, where }) => `${where} ${/path/.test(name)}`))

function isReadByGit({ name, one }: Place): boolean {
  return /\/repository\//.test(one.path) && /^(sha|ref|ref_name|branch|from|to|path|file_path)$/.test(name)
}

/** Reading endpoints with the values they are sent. */
export function readersWith(targets: Targets): Array<[Place, Hostile[]]> {
  return readers.map((place) => [place, hostileToReader(place, targets)])
}

/** Writing endpoints with the values they are sent; in the gate one in 32. */
export function writersWith(targets: Targets): Array<[Place, Hostile[]]> {
  return sampled(writers, 32, labelOf).map((place) => [place, hostileToWriter(place, targets)])
}

/** All places, with bytes that aren't valid UTF-8. In the gate a reader of each kind gets one, and one in eight writers. */
export function placesWithBytes(): Array<[Place, Buffer[]]> {
  const few = (place: Place) => (isSampled ? oneOf(place, brokenBytes) : brokenBytes.slice(0, 1))
  const asked = isSampled ? readers.filter((place) => ofEachKind.has(place)) : readers
  return [
    ...asked.map((place): [Place, Buffer[]] => [place, isSampled && !ofGit.has(place) ? few(place) : brokenBytes]),
    ...sampled(writers, 8, labelOf).map((place): [Place, Buffer[]] => [place, few(place)]),
  ]
}

/** The values for a writing endpoint. Free text, and what git doesn't read, needs only few. */
function hostileToWriter(place: Place, targets: Targets): Hostile[] {
  const { name, where, one } = place
  // Tokens have names, and nothing that git reads.
  if (/\/(access|deploy)_tokens$/.test(one.path)) return chosen(place, hostileProse, 4)
  if (/message|author|note|description|content|last_commit_id|title|url|value|line_type|^key$/.test(name))
    return chosen(place, hostileProse, engine === 'postgres' ? 3 : 1)
  const longest = where === 'path' || where === 'query' ? longestAddress : 1024 * 1024 - 2_000
  const groups: HostileGroups = (/path/.test(name) ? hostilePaths : hostileRefs)({ ...targets, longest })
  // Git handles these values, whatever the database is: on PostgreSQL, `fuzz.test.ts` sends the rest.
  if (engine === 'postgres' && !sendsAll) return chosen(place, groups.flat(), 20)
  return groups.flatMap((group) => chosen(place, group, 4))
}

/** A writer gets each n-th value of a group, at least one, as each request may be a commit; other places get the others. */
function chosen(place: Place, group: Hostile[], step: number): Hostile[] {
  if (isSampled) return oneOf(place, group)
  const at = places.indexOf(place)
  const part = sendsAll ? group : group.filter((_, index) => (index + at) % step === 0)
  return part.length > 0 ? part : oneOf(place, group)
}

/** A different one for each place; in the gate it doesn't depend on the number of places. */
function oneOf<T>(place: Place, group: T[]): T[] {
  const at = (isSampled ? lotOf(labelOf(place)) : places.indexOf(place)) % group.length
  return sendsAll ? group : group.slice(at, at + 1)
}

/**
 * A reader gets all hostile values where a ref or a path is expected, and one value of each group of other kinds. In the gate, git's
 * readers get that; other readers get one of every other group, and half of the further places of their kind get one value.
 */
function hostileToReader(place: Place, targets: Targets): Hostile[] {
  const options = { ...targets, longest: longestAddress }
  const [own, other] = /path/.test(place.name) ? [hostilePaths, hostileRefs] : [hostileRefs, hostilePaths]
  const oneOfEach = (groups: HostileGroups) => groups.flatMap((group) => oneOf(place, group))
  if (!isSampled || ofGit.has(place)) return [...own(options).flat(), ...oneOfEach(other(options))]
  const lot = lotOf(labelOf(place))
  if (ofEachKind.has(place)) return oneOfEach(own(options).filter((_, index) => (index + lot) % 2 === 0))
  return lot % 2 === 0 ? oneOf(place, own(options).flat()) : []
}
