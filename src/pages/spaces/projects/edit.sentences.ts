/** Messages of the settings of a project. */

import type { FeatureLevel } from '../../../db/tables.ts'
import { t, translated } from '../../../html/sentences.ts'

export const featureLevelLabels = (): ReadonlyArray<readonly [FeatureLevel, string]> => [
  ['enabled', t`Everybody who can see the project`],
  ['private', t`Members only`],
  ['disabled', t`Nobody`],
]
export const featureLabels = translated({
  repository_access_level: ['Repository', 'Code, and everything made from it.'],
  forking_access_level: ['Forking', 'Who may fork the project, of those who may read the code.'],
  issues_access_level: ['Issues', undefined],
  merge_requests_access_level: ['Merge requests', 'Not more open than the repository.'],
  builds_access_level: ['Pipelines', 'Not more open than the repository.'],
  wiki_access_level: ['Wiki', undefined],
  snippets_access_level: ['Snippets', undefined],
} as const)
export const topicsHint = () => t`Up to 100, with commas between them.`
export const avatarHint = () => t`A picture of at most 200 KB: PNG, JPEG, GIF, BMP, TIFF, ICO or WebP.`
export const lfsHint = () => t`Large files are kept beside the repository, by Git LFS.`
export const requestHint = () => t`Users who can see the project may request to become members.`
export const runnersHint = () => t`Runners of the instance may run its jobs.`
export const publicJobsHint = () => t`Whoever can see the project sees its jobs and their logs.`
export const configHint = () => t`Where the CI configuration is, if it is not .gitlab-ci.yml at the root.`
export const mergeMethods = () =>
  [
    ['merge', t`Merge commit`, t`Each merge makes a commit of its own.`],
    ['rebase_merge', t`Merge commit, from a rebased branch`, t`A merge commit, and only where the branch contains the target.`],
    ['ff', t`Fast-forward`, t`No merge commits: only where the branch contains the target.`],
  ] as const
export const saved = () => t`Settings saved`
export const avatarRemoved = () => t`Picture removed`
export const archiveMeaning = () =>
  t`An archived project can be read, cloned and starred. Nothing can be pushed to it or changed in it until it is unarchived.`
export const archivedNow = () => t`Project archived`
export const unarchivedNow = () => t`The project is no longer archived.`
export const renameMeaning = () => t`The address of the project and of its repository changes. Pages, clones and pushes at the old one are
    redirected, until another project takes it.`
export const renamed = (path: string): string => t`The project is now at ${path}.`
export const transferMeaning =
  () => t`The project moves with everything in it. Members by its present group lose their access, those of the new
    one gain it, and a project more open than its new group becomes as open as that. The old address redirects.`
export const unforkMeaning = () => t`The project is no longer listed among the forks, and its visibility no longer follows the original.`
export const unforked = () => t`The project is no longer a fork.`
export const deleteMeaning =
  () => t`Everything is deleted: repository, large files, releases, comments and settings. Where the server has it so, it can be restored
    for some days; otherwise it is gone at once and for good. Forks of it stay. Export it first if you may need it again.`
export const deleteNowMeaning = () => t`Everything is deleted at once and for good: nobody can restore it any more.`
export const restoreMeaning = () => t`It is again what it was before it was deleted.`
export const restored = () => t`Project restored`
export const deletedOn = (path: string, day: string): string => t`${path} will be deleted on ${day}. Until then it can be restored.`
export const typeToConfirm = (path: string): string => t`Type ${path} to confirm.`
export const doesNotMatch = () => t`does not match the path of the project`
export const deleted = (path: string): string => t`${path} deleted`
export const unknownNamespace = () => t`is none where you may create projects`
export const noOtherNamespace = () => t`There is no other namespace in which you may create projects.`
