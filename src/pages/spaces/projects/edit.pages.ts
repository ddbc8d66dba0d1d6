/** Changes the settings of a project, by the same rules as the API. */

import { Type } from 'typebox'
import { Failure, invalid } from '../../../failure.ts'
import { findNamespace } from '../../../features/namespaces/namespaces.ts'
import { projectParameters } from '../../../features/spaces/projects/projects.schema.ts'
import { archiveProject, changeProject, transferProject } from '../../../features/spaces/projects/projects.ts'
import { deleteProject, restoreProject } from '../../../features/spaces/scheduled-deletions/scheduled-deletions.ts'
import { endFork } from '../../../features/transfer/forks/forks.ts'
import { t } from '../../../html/sentences.ts'
import { project } from '../../../http/declare/rules.ts'
import { File, Id } from '../../../http/parameters/schema.ts'
import { action, page, type Typed } from '../../frame/declaration.ts'
import type { EditForm } from './edit.parts.ts'
import * as say from './edit.sentences.ts'
import { type Editing, editView } from './edit.view.ts'

const again = (form: EditForm) => (seen: Editing, typed: Typed) => editView(seen, { form, typed })
const { description, topics, request_access_enabled, name, visibility } = projectParameters
const { lfs_enabled, shared_runners_enabled, public_jobs, ci_config_path } = projectParameters
const features = {
  repository_access_level: projectParameters.repository_access_level,
  forking_access_level: projectParameters.forking_access_level,
  issues_access_level: projectParameters.issues_access_level,
  merge_requests_access_level: projectParameters.merge_requests_access_level,
  builds_access_level: projectParameters.builds_access_level,
  wiki_access_level: projectParameters.wiki_access_level,
  snippets_access_level: projectParameters.snippets_access_level,
  lfs_enabled,
  shared_runners_enabled,
  public_jobs,
  ci_config_path,
}
const merging = {
  merge_method: projectParameters.merge_method,
  only_allow_merge_if_pipeline_succeeds: projectParameters.only_allow_merge_if_pipeline_succeeds,
  merge_pipelines_enabled: projectParameters.merge_pipelines_enabled,
  only_allow_merge_if_all_discussions_are_resolved: projectParameters.only_allow_merge_if_all_discussions_are_resolved,
  resolve_outdated_diff_discussions: projectParameters.resolve_outdated_diff_discussions,
  printing_merge_request_link_enabled: projectParameters.printing_merge_request_link_enabled,
}

type Change = Parameters<typeof changeProject>[2]

async function save({ app, project: before, user }: Editing, change: Change) {
  const { full_path } = await changeProject(app, before, change, user)
  return { redirect: `/${full_path}/edit`, notice: say.saved() }
}

export const projectEditPages = [
  page('GET /:project/edit', { access: project('edit_project'), show: (seen) => editView(seen) }),
  action('POST /:project/edit', {
    access: project('edit_project'),
    form: { description, topics, request_access_enabled },
    act: ({ sent, ...seen }) => save(seen, { ...sent, topics: sent.topics ?? [] }),
    again: again('general'),
  }),
  action('POST /:project/edit/identity', {
    access: project('rename_project'),
    form: { name, visibility },
    act: ({ sent, ...seen }) => save(seen, sent),
    again: again('identity'),
  }),
  action('POST /:project/edit/avatar', {
    access: project('edit_project'),
    form: { avatar: Type.Optional(File) },
    act({ sent, ...seen }) {
      if (!sent.avatar) throw invalid({ avatar: [t`is missing`] })
      return save(seen, { avatar: sent.avatar })
    },
    again: again('avatar'),
  }),
  action('POST /:project/edit/avatar/remove', {
    access: project('edit_project'),
    act: async (seen) => ({ ...(await save(seen, { avatar: null })), notice: say.avatarRemoved() }),
  }),
  action('POST /:project/edit/features', {
    access: project('edit_project'),
    form: features,
    act: ({ sent, ...seen }) => save(seen, sent),
    again: again('features'),
  }),
  action('POST /:project/edit/merging', {
    access: project('edit_project'),
    form: merging,
    act: ({ sent, ...seen }) => save(seen, sent),
    again: again('merging'),
  }),
  action('POST /:project/edit/path', {
    access: project('edit_project'),
    form: { path: Type.String({ default: '' }) },
    async act({ sent: { path }, ...seen }) {
      const { full_path } = await changeProject(seen.app, seen.project, { path: path.trim() }, seen.user)
      return { redirect: `/${full_path}/edit`, notice: say.renamed(full_path) }
    },
    again: again('path'),
  }),
  action('POST /:project/edit/archive', {
    access: project('archive_project'),
    async act({ app, project }) {
      await archiveProject(app, project, true)
      return { redirect: `/${project.full_path}`, notice: say.archivedNow() }
    },
  }),
  action('POST /:project/edit/unarchive', {
    access: project('archive_project'),
    async act({ app, project }) {
      await archiveProject(app, project, false)
      return { redirect: `/${project.full_path}`, notice: say.unarchivedNow() }
    },
  }),
  action('POST /:project/edit/restore', {
    access: project('delete_project'),
    async act({ app, project }) {
      await restoreProject(app, project.id)
      return { redirect: `/${project.full_path}`, notice: say.restored() }
    },
  }),
  action('POST /:project/edit/transfer', {
    access: project('transfer_project'),
    form: { namespace_id: Type.Optional(Id) },
    async act({ app, user, project, sent }) {
      const namespace = sent.namespace_id === undefined ? null : await findNamespace(app.db, { id: sent.namespace_id })
      if (!namespace) throw invalid({ namespace_id: [say.unknownNamespace()] })
      const { full_path } = await transferProject(app, project, namespace, user).catch(inPlainWords)
      return { redirect: `/${full_path}`, notice: say.renamed(full_path) }
    },
    again: again('transfer'),
  }),
  action('POST /:project/edit/unfork', {
    access: project('manage_fork_relation'),
    async act({ app, user, project }) {
      await endFork(app, user, project)
      return { redirect: `/${project.full_path}/edit`, notice: say.unforked() }
    },
  }),
  action('POST /:project/edit/delete', {
    access: project('delete_project'),
    form: { confirm: Type.String({ default: '' }) },
    async act({ app, project, sent: { confirm } }) {
      if (confirm.trim().toLowerCase() !== project.full_path.toLowerCase()) throw invalid({ confirm: [say.doesNotMatch()] })
      const { namespace_kind, namespace_full_path, full_path, marked_for_deletion_at } = project
      const { due_at } = await deleteProject(app, project, { permanently_remove: marked_for_deletion_at !== null, full_path })
      if (due_at !== null) return { redirect: `/${full_path}`, notice: say.deletedOn(full_path, due_at.slice(0, 10)) }
      return {
        redirect: namespace_kind === 'group' ? `/groups/${namespace_full_path}` : `/${namespace_full_path}`,
        notice: say.deleted(full_path),
      }
    },
    again: again('delete'),
  }),
]

/** Replaces an error in the format of the API: `{:new_namespace=>["…"]}`. */
function inPlainWords(error: unknown): never {
  const sentence = error instanceof Failure && error.code === 'invalid' ? /\["(.*)"\]/.exec(error.message)?.[1] : undefined
  throw sentence === undefined ? error : invalid(sentence, error)
}
