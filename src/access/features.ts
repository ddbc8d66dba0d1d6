/**
 * Features of a project and who may use each; every feature checks here. Each has a single level and no separate switch, since two columns
 * could contradict each other. Clients that don't know levels write back what they read, so `true` doesn't open a feature that is for
 * members only.
 */
import { isMember } from '../access/levels.ts'
import type { FeatureLevel } from '../db/tables.ts'

/** The features of a project that can be disabled or limited to members. */
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

/** In ascending order: each is more open than the one before. */
export const featureLevels = ['disabled', 'private', 'enabled'] as const satisfies FeatureLevel[]

/** The columns of a project with the level of each feature. */
export type FeatureLevels = { [F in ProjectFeature as `${F}_access_level`]: FeatureLevel }

/**
 * Whether a feature is available to a user who can see the project: disabled for nobody, private for members only.
 * @param level the caller's access level in the project, 0 if not a member
 */
export function mayUse(feature: ProjectFeature, { project, level }: { project: FeatureLevels; level: number }): boolean {
  const setting = project[`${feature}_access_level`]
  return setting === 'enabled' || (setting === 'private' && isMember(level))
}

/** Whether a feature is enabled for anyone. */
export function isOn(setting: FeatureLevel): boolean {
  return setting !== 'disabled'
}
