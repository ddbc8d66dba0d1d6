/** Links of an issue to other issues. */
import { Type } from 'typebox'
import { issueAddress } from '../../../addresses/planning.ts'
import { invalid } from '../../../failure.ts'
import { linkIssues, linkTypes, unlinkIssues } from '../../../features/planning/issue-links/issue-links.ts'
import { issueInPath } from '../../../features/planning/issues/issues.ts'
import { project, unarchived } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id, oneOf } from '../../../http/parameters/schema.ts'
import { action } from '../../frame/declaration.ts'
import { issueView } from './issue-view.ts'
import { sentences } from './sentences.ts'

const access = within(unarchived(project('manage_issues')), issueInPath)
const linkInPath = nested({ link_id: Id }, (_: object, { link_id }) => ({ link_id }))

export const linkPages = [
  action('POST /:project/issues/:issue_iid/links', {
    access,
    form: { target: Type.String({ maxLength: 2_000 }), link_type: oneOf(...linkTypes) },
    async act({ app, user, project, issue, sent: { target, link_type } }) {
      const { path, iid } = referenceIn(target, app.config.url) ?? {}
      if (iid === undefined) throw invalid({ target: [sentences.noReference] })
      await linkIssues(app, user, issue, { target_project_id: path ?? String(project.id), target_issue_iid: iid, link_type }).catch(
        (error) => {
          throw isMissing(error) ? invalid({ target: [sentences.noReference] }, error) : error
        },
      )
      return { redirect: issueAddress(project, issue.iid), notice: sentences.linked }
    },
    again: (context, typed) => issueView(context, { refusedLink: typed }),
  }),
  action('POST /:project/issues/:issue_iid/links/:link_id/delete', {
    access: within(access, linkInPath),
    async act({ app, user, project, issue, link_id }) {
      await unlinkIssues(app, user, issue, link_id)
      return { redirect: issueAddress(project, issue.iid), notice: sentences.unlinked }
    },
  }),
]

/** `12`, `#12`, `group/project#12` or the URL of an issue. */
function referenceIn(text: string, url: string): { path: string | null; iid: number } | null {
  const short = text.trim().startsWith(`${url}/`)
    ? text
        .trim()
        .slice(url.length + 1)
        .replace(/[?#].*$/, '')
    : text.trim()
  const [, path = '', iid] = /^(?:([\w./-]*)#)?([1-9]\d{0,9})$/.exec(short) ?? /^([\w./-]+)\/issues\/([1-9]\d{0,9})$/.exec(short) ?? []
  return iid === undefined ? null : { path: path === '' ? null : path, iid: Number(iid) }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'not_found'
}
