/** One merge request, and its changes as text. */
import { Type } from 'typebox'
import { notFound } from '../../../failure.ts'
import { findMergeRequest } from '../../../features/review/merge-requests/merge-requests.ts'
import { currentVersion } from '../../../features/review/versions/versions.ts'
import { openDiff, openPatches } from '../../../git/diff/patch-stream.ts'
import type { RawReply } from '../../../http/declare/endpoint.ts'
import { type ProjectGranted, project } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { disposition } from '../../../http/reply/content-disposition.ts'
import { page } from '../../frame/declaration.ts'
import { pageNumber } from '../../frame/paging.ts'
import { overview } from './overview.ts'
import type { MergeRequestSeen } from './seen.ts'

type Format = 'page' | 'diff' | 'patch'

/** `1` is the page, `1.diff` and `1.patch` are its changes, which `git apply` and `git am` take. */
const requestOrText = nested(
  { merge_request_iid: Type.String() },
  async ({ project, level, user }: ProjectGranted, { merge_request_iid }, app) => {
    const [, iid, format = 'page'] = /^([1-9]\d{0,15})(?:\.(diff|patch))?$/.exec(merge_request_iid) ?? []
    if (iid === undefined || !Number.isSafeInteger(Number(iid))) throw notFound('Merge Request')
    return { merge_request: await findMergeRequest(app.db, { project, level }, Number(iid), user), format: format as Format }
  },
)

export const mergeRequestPages = [
  page('GET /:project/merge_requests/:merge_request_iid', {
    access: within(project('visible'), requestOrText),
    query: pageNumber,
    async show({ format, ...context }) {
      return format === 'page' ? overview(context, { page: context.sent.page }) : { bytes: await textOf(context, format) }
    },
  }),
]

async function textOf({ app, repo, merge_request }: MergeRequestSeen, format: Exclude<Format, 'page'>): Promise<RawReply> {
  const current = await currentVersion(app, merge_request)
  if (!current) throw notFound('Merge Request Diff')
  const { base_oid, head_oid } = current.version
  return {
    etag: `W/"${base_oid}.${head_oid}.${format}"`,
    describe: () => ({
      type: 'text/plain; charset=utf-8',
      'content-disposition': disposition('inline', `${merge_request.iid}.${format}`),
    }),
    open: () => (format === 'patch' ? openPatches(repo, base_oid, head_oid) : openDiff(repo, base_oid, head_oid)),
  }
}
