/** The payload of wiki pages. */
import { wikiPageAddress } from '../../../addresses/documents.ts'
import { httpCloneUrl, pageUrl, projectUrl, sshCloneUrl } from '../../../addresses/links.ts'
import type { App } from '../../../app.ts'
import { readBlob } from '../../../git/objects/blobs.ts'
import { objectInfo, readCommit } from '../../../git/objects/read.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { pageNameOf } from '../../documents/wikis/wikis.ts'
import type { WikiPageFacts } from './facts.ts'
import { settingOf, withAbsoluteImages } from './parts.ts'
import type { WikiPagePayload } from './repository.schema.ts'

/** The content of a longer page is not sent. */
const maxContent_bytes = 1024 * 1024

export async function wikiPagePayload(app: App, facts: WikiPageFacts): Promise<Presented<typeof WikiPagePayload> | null> {
  const setting = await settingOf(app, facts)
  const page = pageNameOf(facts.path)
  if (!setting || !page) return null
  const { project, user, shown } = setting
  const repo = app.git.openWiki(facts.wiki_id)
  const { message } = await readCommit(repo, facts.commit_oid)
  const url = projectUrl(app.config, project)
  const path = `${project.full_path}.wiki`
  const place = { kind: 'project', row: project } as const
  return {
    object_kind: 'wiki_page',
    user,
    project: shown,
    wiki: {
      web_url: pageUrl(app.config, wikiPageAddress(place, 'home')),
      git_ssh_url: sshCloneUrl(app.config, path),
      git_http_url: httpCloneUrl(app.config, path),
      path_with_namespace: path,
      default_branch: app.config.default_branch,
    },
    object_attributes: {
      title: page.title,
      content: withAbsoluteImages(await contentOf(repo, facts.oid), url) ?? '',
      format: page.format,
      message: message.trimEnd(),
      slug: page.slug,
      version_id: facts.commit_oid,
      url: pageUrl(app.config, wikiPageAddress(place, page.slug)),
      diff_url: null,
      action: facts.action,
    },
  }
}

async function contentOf(repo: Repo, oid: string | null): Promise<string> {
  const info = oid === null ? null : await objectInfo(repo, oid)
  if (oid === null || !info || info.size > maxContent_bytes) return ''
  return (await readBlob(repo, oid))?.data.toString('utf8') ?? ''
}
