/** Creates and deletes branches. */

import { Type } from 'typebox'
import { addressAt } from '../../../addresses/repository.ts'
import { Failure, nullIfMissing } from '../../../failure.ts'
import { createBranch, deleteBranch, deleteMergedBranches, getBranch } from '../../../features/repository/branches/branches.ts'
import { branchRevision } from '../../../git/refs/names.ts'
import { html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { type ProjectGranted, project, type SignedIn, unarchived } from '../../../http/declare/rules.ts'
import { action, page, type Typed, type View, type Visit } from '../../frame/declaration.ts'
import { field, form, problemsOf, untouched } from '../../frame/forms.ts'
import { projectView } from '../../project/project-view.ts'
import { asRefusedForm, byField } from './errors.ts'
import { backTo, recentNames } from './parts.ts'
import { branchSentences } from './sentences.ts'

const access = unarchived(project('push_code'))

export const branchFormPages = [
  page('GET /:project/branches/new', {
    access,
    query: { ref: Type.String({ default: '' }), name: Type.String({ default: '' }) },
    show: ({ sent, ...context }) => newBranch(context, untouched, sent),
  }),
  action('POST /:project/branches', {
    access,
    form: { branch: Type.String(), ref: Type.String() },
    async act({ app, actor, project, sent: { branch, ref } }) {
      const { name } = await createBranch(app, actor, branch.trim(), ref.trim()).catch(asRefusedForm)
      return { redirect: addressAt(project.full_path, 'tree', branchRevision(name)), notice: branchSentences.created(name) }
    },
    again: (context, typed) =>
      newBranch(
        context,
        byField(typed, [
          ['branch', /^branch|branch name/i],
          ['ref', /reference|ref is/i],
        ]),
      ),
  }),
  action('POST /:project/branches/delete', {
    access,
    form: { name: Type.String(), oid: Type.String(), back: Type.Optional(Type.String()) },
    async act({ app, actor, project, repo, sent: { name, oid, back } }) {
      const redirect = backTo(back, `/${project.full_path}/branches`)
      const branch = await getBranch(repo, name).catch(nullIfMissing)
      if (!branch) return { redirect, notice: branchSentences.gone(name) }
      if (branch.oid !== oid) return { redirect, notice: branchSentences.moved(name) }
      try {
        await deleteBranch(app, actor, branch)
      } catch (error) {
        if (!(error instanceof Failure && error.code === 'ref_moved')) throw error
        return { redirect, notice: branchSentences.moved(name) }
      }
      return { redirect, notice: branchSentences.deleted(name) }
    },
  }),
  action('POST /:project/branches/delete_merged', {
    access,
    async act({ app, actor, project }) {
      const deleted = await deleteMergedBranches(app, actor)
      return { redirect: `/${project.full_path}/branches`, notice: branchSentences.deletedMerged(deleted) }
    },
  }),
]

async function newBranch(
  { project, level, user, repo, token }: Visit & ProjectGranted & SignedIn,
  typed: Typed,
  asked = { ref: '', name: '' },
): Promise<View> {
  const from = asked.ref || (project.default_branch ?? 'main')
  return projectView(
    { project, level, user, tab: 'branches' },
    {
      title: t`New branch`,
      main: html`
        <h1>New branch</h1>
        <div class="form-page">
          ${problemsOf(typed.errors, ['branch', 'ref'])}
          ${form(
            { action: `/${project.full_path}/branches`, token, submit: t`Create the branch` },
            html`
              ${field(t`Name`, 'branch', typed, {
                value: asked.name,
                required: true,
                autofocus: true,
                autocomplete: 'off',
                hint: branchSentences.nameHint,
              })}
              ${field(t`From`, 'ref', typed, {
                value: from,
                required: true,
                autocomplete: 'off',
                hint: branchSentences.refHint,
                list: await recentNames(repo, 'heads'),
              })}
            `,
          )}
        </div>
      `,
    },
  )
}
