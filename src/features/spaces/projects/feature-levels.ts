/** The features of a project in the API: a level for each, and the boolean switches of earlier versions. */
import { type FeatureLevels, featureLevels, isOn, projectFeatures } from '../../../access/features.ts'
import type { FeatureLevel } from '../../../db/tables.ts'

/** The level that a switch means: enabled, unless the feature is disabled. */
const levelOfSwitch = {
  issues_enabled: 'issues_access_level',
  merge_requests_enabled: 'merge_requests_access_level',
  jobs_enabled: 'builds_access_level',
  wiki_enabled: 'wiki_access_level',
  snippets_enabled: 'snippets_access_level',
  container_registry_enabled: 'container_registry_access_level',
} as const satisfies Record<string, keyof FeatureLevels>

export type Switch = keyof typeof levelOfSwitch

export const switches = Object.keys(levelOfSwitch) as Switch[]

const columns = projectFeatures.map((feature) => `${feature}_access_level` as const)

/** The levels of a new project. */
export const newLevels: FeatureLevels = {
  issues_access_level: 'enabled',
  repository_access_level: 'enabled',
  merge_requests_access_level: 'enabled',
  forking_access_level: 'enabled',
  builds_access_level: 'enabled',
  wiki_access_level: 'enabled',
  snippets_access_level: 'enabled',
  container_registry_access_level: 'disabled',
}

type Sent = { [K in Switch]?: boolean | undefined } & { [K in keyof FeatureLevels]?: FeatureLevel | undefined }

/**
 * The levels in a request. A level overrides its switch. A switch changes a level only if it contradicts it, so that a client that only
 * knows switches and writes back what it read doesn't make a feature for members public.
 */
export function levelsFrom(sent: Sent, current: FeatureLevels): Partial<FeatureLevels> {
  const bySwitch = switches.flatMap((name) => {
    const [column, value] = [levelOfSwitch[name], sent[name]]
    const isChanged = value !== undefined && value !== isOn(current[column])
    return isChanged ? [[column, value ? 'enabled' : 'disabled'] as const] : []
  })
  const byLevel = columns.flatMap((column) => (sent[column] === undefined ? [] : [[column, sent[column]] as const]))
  return Object.fromEntries([...bySwitch, ...byLevel])
}

/** The other parameters. */
export function withoutFeatures<T extends Sent>(sent: T): Omit<T, keyof Sent> {
  const names: string[] = [...switches, ...columns]
  return Object.fromEntries(Object.entries(sent).filter(([name]) => !names.includes(name))) as Omit<T, keyof Sent>
}

/** Only the levels of a project. */
export function levelsOf(project: FeatureLevels): FeatureLevels {
  return Object.fromEntries(columns.map((column) => [column, project[column]])) as FeatureLevels
}

/** The switches as earlier clients see them. */
export function switchesOf(project: FeatureLevels): Record<Switch, boolean> {
  return Object.fromEntries(switches.map((name) => [name, isOn(project[levelOfSwitch[name]])])) as Record<Switch, boolean>
}

const tooOpen = 'cannot have higher visibility level than repository access level'

/** Errors by field: what is made of the repository is no more open than it. */
export function levelErrors(levels: FeatureLevels): Record<string, string | null> {
  const openness = (level: FeatureLevel) => featureLevels.indexOf(level)
  const errorOf = (level: FeatureLevel) => (openness(level) > openness(levels.repository_access_level) ? tooOpen : null)
  return {
    merge_requests_access_level: errorOf(levels.merge_requests_access_level),
    builds_access_level: errorOf(levels.builds_access_level),
  }
}
