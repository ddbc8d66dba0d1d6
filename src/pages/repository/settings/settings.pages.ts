/** The settings of a repository: default branch, protection, deploy keys and tokens, mirrors, housekeeping. */

import { Type } from 'typebox'
import { Failure } from '../../../failure.ts'
import { isHousekeepingDue, startHousekeeping } from '../../../features/repository/housekeeping/housekeeping.ts'
import { changeProject } from '../../../features/spaces/projects/projects.ts'
import { type Room, roomsOf } from '../../../features/storage/quotas/quotas.ts'
import { notesOf } from '../../../git/maintenance/housekeeping.ts'
import { inspectStorage } from '../../../git/maintenance/repository-stats.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago, number, size } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { project, unarchived } from '../../../http/declare/rules.ts'
import { action, type Page, page, type Typed } from '../../frame/declaration.ts'
import { field, form, postButton, problemsOf, untouched } from '../../frame/forms.ts'
import { progressBar } from '../../frame/parts.ts'
import { recentNames } from '../refs/parts.ts'
import { deployKeyPages, deployKeysSection } from './deploy-keys.pages.ts'
import { deployTokenPages, deployTokensSection } from './deploy-tokens.pages.ts'
import { mirrorPages } from './mirrors.pages.ts'
import { mirrorsSection } from './mirrors-view.ts'
import { protectionOfKind, protectionPages } from './protected-branches.pages.ts'
import { housekeepingSentences, settingSentences } from './sentences.ts'
import { type SettingsVisit, section, settingsAddress, settingsView } from './settings-frame.ts'

const settingsPages: Page[] = [
  page('GET /:project/settings/repository', {
    access: project('edit_repository_settings'),
    async show(visit) {
      return settingsView(visit, [
        await defaultBranchSection(visit),
        await protectionOfKind(visit, 'branch'),
        await protectionOfKind(visit, 'tag'),
        await deployKeysSection(visit),
        await deployTokensSection(visit),
        await mirrorsSection(visit),
        await housekeepingSection(visit),
      ])
    },
  }),
  action('POST /:project/settings/default_branch', {
    access: project('edit_repository_settings'),
    form: { default_branch: Type.String() },
    async act({ app, user, project, sent }) {
      const default_branch = sent.default_branch.trim()
      await changeProject(app, project, { default_branch }, user)
      return { redirect: settingsAddress(project, 'default-branch'), notice: settingSentences.defaultSaved(default_branch) }
    },
    again: async (visit, typed) => settingsView(visit, [await defaultBranchSection(visit, ofBranch(typed))], t`Default branch`),
  }),
  action('POST /:project/settings/housekeeping', {
    access: unarchived(project('edit_repository_settings')),
    async act({ app, project }) {
      const redirect = settingsAddress(project, 'housekeeping')
      try {
        await startHousekeeping(app, project.id)
      } catch (error) {
        if (error instanceof Failure && error.code === 'conflict') return { redirect, notice: housekeepingSentences.busy }
        throw error
      }
      return { redirect, notice: housekeepingSentences.started }
    },
  }),
]

/** The service reports an error of the repository as a whole; the form has one field. */
function ofBranch({ values, errors }: Typed): Typed {
  const { all, of } = errors
  return { values, errors: all.length === 0 ? errors : { all: [], of: { ...of, default_branch: all } } }
}

async function defaultBranchSection({ project, repo, token }: SettingsVisit, typed: Typed = untouched): Promise<Html> {
  const { default_branch, full_path } = project
  const content =
    default_branch === null
      ? html`<p class="empty">${settingSentences.empty}</p>`
      : form(
          { action: `/${full_path}/settings/default_branch`, token, submit: t`Save the default branch` },
          html`${problemsOf(typed.errors, ['default_branch'])}${field(t`Branch`, 'default_branch', typed, {
            value: default_branch,
            required: true,
            autocomplete: 'off',
            hint: settingSentences.defaultBranch,
            list: await recentNames(repo, 'heads'),
          })}`,
        )
  return section('default-branch', t`Default branch`, content)
}

/** How full a quota is. What is nearly full is told before it refuses anything. */
function roomFact({ what, used_bytes, limit_bytes }: Room): [string, Html] {
  const share = Math.floor((100 * used_bytes) / Math.max(1, limit_bytes))
  const isNearlyFull = share >= nearlyFull_percent
  return [what, html`${size(used_bytes)} of ${size(limit_bytes)} ${isNearlyFull && html`<strong>${share} % used</strong>`}`]
}

const nearlyFull_percent = 90

/** Reads folders, and runs no git. */
async function housekeepingSection({ app, project, repo, token }: SettingsVisit): Promise<Html> {
  const isDue = await isHousekeepingDue(app, project.id)
  const storage = await inspectStorage(repo).catch(() => null)
  const notes = await notesOf(repo)
  const facts: Array<[string, Html | string]> = [
    [t`Commits`, number(project.commit_count)],
    [t`Repository`, size(project.repository_size)],
    [t`Large files (LFS)`, size(project.lfs_objects_size)],
    ...(await roomsOf(app, project)).map(roomFact),
    ...(storage
      ? ([
          [t`Packs`, `${number(storage.packs)}, ${size(storage.packs_bytes)}`],
          [t`Loose objects`, storage.looseObjects === 0 ? t`few or none` : t`about ${number(storage.looseObjects)}`],
        ] as Array<[string, string]>)
      : []),
    [t`Last full repack`, notes ? ago(new Date(notes.full_repack_ms).toISOString()) : t`never`],
  ]
  const button = postButton(t`Run housekeeping`, { action: `/${project.full_path}/settings/housekeeping`, token })
  return section(
    'housekeeping',
    t`Housekeeping`,
    html`
      <p class="hint">${housekeepingSentences.what}</p>
      <dl class="facts">${facts.map(([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>`)}</dl>
      ${isDue ? html`<p role="status">${progressBar(t`Housekeeping`, 0, null)} ${housekeepingSentences.running}</p>` : button}
    `,
  )
}

export const repositorySettingsPages: Page[] = [
  ...settingsPages,
  ...protectionPages,
  ...deployKeyPages,
  ...deployTokenPages,
  ...mirrorPages,
]
