/** Which hostile values stand where: in the gate within a budget. */
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

/** Longer addresses don't get past the parser of HTTP. */
const longestAddress = 15_000

export type Targets = Pick<HostileOptions, 'shortened' | 'target'>

const isReader = ({ one }: Place) => one.endpoint.method === 'GET'

const readers = places.filter(isReader)
const writers = places.filter((place) => !isReader(place))
/** Where what reads the value is new. */
const ofEachKind = new Set(firstOfEach(readers, kindOf))
/** Of those where git reads it: as a revision or as a path, in the path of the request or in its query. */
const ofGit = new Set(firstOfEach(readers.filter(isReadByGit), ({ name, where }) => `${where} ${/path/.test(name)}`))

function isReadByGit({ name, one }: Place): boolean {
  return /\/repository\//.test(one.path) && /^(sha|ref|ref_name|branch|from|to|path|file_path)$/.test(name)
}

/** The readers with what they are sent. */
export function readersWith(targets: Targets): Array<[Place, Hostile[]]> {
  return readers.map((place) => [place, hostileToReader(place, targets)])
}

/** The writers with what they are sent; in the gate one in 32. */
export function writersWith(targets: Targets): Array<[Place, Hostile[]]> {
  return sampled(writers, 32, labelOf).map((place) => [place, hostileToWriter(place, targets)])
}

/** All places, with bytes that are no UTF-8. In the gate a reader of each kind gets one, and of the writers one in eight. */
export function placesWithBytes(): Array<[Place, Buffer[]]> {
  const few = (place: Place) => (isSampled ? oneOf(place, brokenBytes) : brokenBytes.slice(0, 1))
  const asked = isSampled ? readers.filter((place) => ofEachKind.has(place)) : readers
  return [
    ...asked.map((place): [Place, Buffer[]] => [place, isSampled && !ofGit.has(place) ? few(place) : brokenBytes]),
    ...sampled(writers, 8, labelOf).map((place): [Place, Buffer[]] => [place, few(place)]),
  ]
}

/** What a writer is sent there. Where anything may be said, or nothing that git reads, little of it matters. */
function hostileToWriter(place: Place, targets: Targets): Hostile[] {
  const { name, where, one } = place
  // Tokens have names, and nothing of git.
  if (/\/(access|deploy)_tokens$/.test(one.path)) return chosen(place, hostileProse, 4)
  if (/message|author|note|description|content|last_commit_id|title|url|value|line_type|^key$/.test(name))
    return chosen(place, hostileProse, engine === 'postgres' ? 3 : 1)
  const longest = where === 'path' || where === 'query' ? longestAddress : 1024 * 1024 - 2_000
  const groups: HostileGroups = (/path/.test(name) ? hostilePaths : hostileRefs)({ ...targets, longest })
  // Here it is git that answers, whatever the database is: there, `fuzz.test.ts` sends the rest.
  if (engine === 'postgres' && !sendsAll) return chosen(place, groups.flat(), 20)
  return groups.flatMap((group) => chosen(place, group, 4))
}

/** Of a group of values a writer gets each n-th, at least one, for each request may be a commit; its neighbours get the others. */
function chosen(place: Place, group: Hostile[], step: number): Hostile[] {
  if (isSampled) return oneOf(place, group)
  const at = places.indexOf(place)
  const part = sendsAll ? group : group.filter((_, index) => (index + at) % step === 0)
  return part.length > 0 ? part : oneOf(place, group)
}

/** Another at each place; in the gate whatever other places there are. */
function oneOf<T>(place: Place, group: T[]): T[] {
  const at = (isSampled ? lotOf(labelOf(place)) : places.indexOf(place)) % group.length
  return sendsAll ? group : group.slice(at, at + 1)
}

/**
 * A reader gets all that is hostile where a ref or a path stands, and of each group of the other kind one value. In the gate that is sent
 * where git reads it; elsewhere what reads it gets one of every other group, and half of the further places of its kind one value.
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
