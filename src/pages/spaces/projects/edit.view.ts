/** The settings of a project, each part with its own form. */

import type { FeatureLevels } from '../../../access/features.ts'
import { findGroup, findProject } from '../../../access/find.ts'
import { may } from '../../../access/permissions.ts'
import { everything } from '../../../access/visible.ts'
import type { User, Visibility } from '../../../db/tables.ts'
import { nullIfMissing } from '../../../failure.ts'
import { readSettings } from '../../../features/instance/settings/settings.ts'
import { listCreatable } from '../../../features/namespaces/namespaces.ts'
import { avatarUrl } from '../../../features/storage/avatars/avatars.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import type { Typed, View, Visit } from '../../frame/declaration.ts'
import { checkbox, field, form, postButton, problemsOf, radios, select, textArea, untouched } from '../../frame/forms.ts'
import { avatar } from '../../frame/parts.ts'
import { projectView, type Seen } from '../../project/project-view.ts'
import type { EditForm, Parts } from './edit.parts.ts'
import * as say from './edit.sentences.ts'
import { dangers } from './edit-dangers.ts'
import { visibilityField, withFormNames } from './visibility-field.ts'

export type Editing = Visit & Seen & { user: User }

const maxNamespaces = 500

export async function editView(seen: Editing, refused: { form: EditForm; typed: Typed } | null = null): Promise<View> {
  const { app, project, user, level, token } = seen
  const isOwner = may('rename_project', level)
  const [settings, namespaces, group, source] = await Promise.all([
    readSettings(app.db),
    isOwner ? listCreatable(app.db, user, maxNamespaces) : [],
    project.namespace_kind === 'group' ? findGroup(app.db, String(project.namespace_id), everything).catch(nullIfMissing) : null,
    project.forked_from_id === null ? null : findProject(app.db, String(project.forked_from_id), everything).catch(nullIfMissing),
  ])
  const typed = (form: EditForm) => (refused?.form === form ? withFormNames(refused.typed) : untouched)
  const parts = { app, project, user, token, settings, namespaces, isOwner, typed }
  const main = html`
    <div class="form-page">
      <h1>Settings</h1>
      ${generalPart(parts)}${avatarPart(parts)}
      ${isOwner && identityPart(parts, { group: group?.group.visibility ?? null, source: source?.project.visibility ?? null })}
      ${featuresPart(parts)}${mergingPart(parts)}
      <h2 id="dangers">Move, archive, delete</h2>
      ${dangers(parts)}
    </div>
  `
  return projectView({ project, level, user, tab: 'general' }, { title: t`Settings`, main })
}

function part(title: string, typed: Typed, fields: readonly string[], content: Html): Html {
  return html`<section><h2>${title}</h2>${problemsOf(typed.errors, fields)}${content}</section>`
}

function generalPart({ project, token, typed }: Parts): Html {
  const sent = typed('general')
  const topics = (JSON.parse(project.tag_list) as string[]).sort().join(', ')
  const fields = html`
    ${textArea(t`Description`, 'description', sent, { value: project.description ?? '', rows: 2 })}
    ${field(t`Topics`, 'topics', sent, { value: topics, hint: say.topicsHint() })}
    ${checkbox(t`Access requests`, 'request_access_enabled', sent, {
      value: asText(project.request_access_enabled),
      hint: say.requestHint(),
    })}
  `
  return part(t`General`, sent, ['description', 'topics'], form({ action: `/${project.full_path}/edit`, token, submit: t`Save` }, fields))
}

function identityPart(
  { project, user, token, typed, settings }: Parts,
  limits: { group: Visibility | null; source: Visibility | null },
): Html {
  const sent = typed('identity')
  const fields = html`
    ${field(t`Name`, 'name', sent, { value: project.name, required: true })}
    ${visibilityField(sent, project.visibility, { settings, user, ...limits })}
  `
  return part(
    t`Name and visibility`,
    sent,
    ['name', 'visibility'],
    form({ action: `/${project.full_path}/edit/identity`, token, submit: t`Save` }, fields),
  )
}

function avatarPart({ app, project, token, typed }: Parts): Html {
  const sent = typed('avatar')
  const at = `/${project.full_path}/edit/avatar`
  const url = avatarUrl(app.config, 'project', project)
  const content = html`
    ${avatar(url, 64)}${form(
      { action: at, token, submit: t`Upload`, files: true },
      field(t`Picture`, 'avatar', sent, { type: 'file', accept: 'image/*', required: true, hint: say.avatarHint() }),
    )}
    ${url !== null && postButton(t`Remove picture`, { action: `${at}/remove`, token, kind: 'danger' })}
  `
  return part(t`Picture`, sent, ['avatar'], content)
}

function featuresPart({ project, token, typed }: Parts): Html {
  const sent = typed('features')
  const names = Object.keys(say.featureLabels) as Array<keyof typeof say.featureLabels>
  const levels = names.map((name) => {
    const [label, hint] = say.featureLabels[name]
    return select(label, name, sent, say.featureLevelLabels(), { value: project[name satisfies keyof FeatureLevels], hint })
  })
  const fields = html`
    ${levels}${checkbox(t`Git LFS`, 'lfs_enabled', sent, { value: asText(project.lfs_enabled), hint: say.lfsHint() })}
    ${checkbox(t`Shared runners`, 'shared_runners_enabled', sent, {
      value: asText(project.shared_runners_enabled),
      hint: say.runnersHint(),
    })}
    ${checkbox(t`Public pipelines`, 'public_jobs', sent, {
      value: asText(project.public_jobs),
      hint: say.publicJobsHint(),
    })}
    ${field(t`CI configuration`, 'ci_config_path', sent, { value: project.ci_config_path ?? '', hint: say.configHint() })}
  `
  return part(
    t`Features`,
    sent,
    [...names, 'ci_config_path'],
    form({ action: `/${project.full_path}/edit/features`, token, submit: t`Save` }, fields),
  )
}

function mergingPart({ project, token, typed }: Parts): Html {
  const sent = typed('merging')
  const fields = html`
    ${radios(t`How changes are merged`, 'merge_method', sent, say.mergeMethods(), project.merge_method)}
    ${mergeFlags().map(([name, label]) => checkbox(label, name, sent, { value: asText(project[name]) }))}
  `
  return part(
    t`Merge requests`,
    sent,
    ['merge_method'],
    form({ action: `/${project.full_path}/edit/merging`, token, submit: t`Save` }, fields),
  )
}

const mergeFlags = () =>
  [
    ['only_allow_merge_if_pipeline_succeeds', t`Merge only when the pipeline succeeds`],
    ['merge_pipelines_enabled', t`Pipelines of merge requests build the result of merging`],
    ['only_allow_merge_if_all_discussions_are_resolved', t`Merge only when all discussions are resolved`],
    ['resolve_outdated_diff_discussions', t`Resolve discussions of lines that a push changes`],
    ['printing_merge_request_link_enabled', t`Print a link to a new merge request after a push`],
  ] as const

const asText = (value: boolean): 'true' | 'false' => (value ? 'true' : 'false')
