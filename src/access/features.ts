/**
 * Features of a project: for whom each is. Every feature checks here.
 *
 * A level for each feature, and no switch beside it: two columns would be two truths. Clients that know no levels write back what they read, so
 * `true` doesn't open what is for members.
 */
import { isMember } from '../access/levels.ts'
import type { FeatureLevel } from '../db/tables.ts'

/** The features of a project that can be off, or for its members only. */
export const projectFeatures = [
  'issues',
  'repository',
  'merge_requests',
  'forking',
  'builds',
  'wiki',
  'snippets',
  'container_registry',
] as const

export type ProjectFeature = (typeof projectFeatures)[number]

/** In this order: each is more open than those before it. */
export const featureLevels = ['disabled', 'private', 'enabled'] as const satisfies FeatureLevel[]

/** The columns of a project that say for whom each feature is. */
export type FeatureLevels = { [F in ProjectFeature as `${F}_access_level`]: FeatureLevel }

/**
 * Whether a feature is there for somebody who can see the project: off, it is for nobody; private, for members.
 * @param level the caller's access level in the project, 0 if not a member
 */
export function mayUse(feature: ProjectFeature, { project, level }: { project: FeatureLevels; level: number }): boolean {
  const setting = project[`${feature}_access_level`]
  return setting === 'enabled' || (setting === 'private' && isMember(level))
}

/** Whether a feature is on, for whomever. */
export function isOn(setting: FeatureLevel): boolean {
  return setting !== 'disabled'
}
