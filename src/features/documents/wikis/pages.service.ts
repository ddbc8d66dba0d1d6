/** Reads the pages of a wiki: lists, current and earlier versions, contents. */
import { Failure, invalid, notFound } from '../../../failure.ts'
import { readBlob } from '../../../git/objects/blobs.ts'
import { objectInfo } from '../../../git/objects/read.ts'
import { textIn } from '../../../git/objects/text.ts'
import { textOf } from '../../../git/objects/text-of.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { indexOf, type Page, type PageIndex, tipOf } from './page-index.ts'

/** Larger pages can only be read with git. */
export const maxPage_bytes = 5 * 1024 * 1024
/** Limit of all pages of one reply together. */
const maxTogether_bytes = 32 * 1024 * 1024

/**
 * The current pages.
 * @param repo null for a wiki without a repository
 */
export async function pagesOf(repo: Repo | null): Promise<PageIndex> {
  return indexOf(repo as Repo, repo && (await tipOf(repo)))
}

/**
 * The page with this slug, at the tip or at a commit of its history. Throws `404 Wiki Page Not Found`.
 * @param version commit id or a name of one
 */
export async function findPage(repo: Repo | null, slug: string, version?: string): Promise<FoundPage> {
  const page = await lookUpPage(repo, slug, version)
  if (!page) throw pageNotFound()
  return page
}

export interface FoundPage extends Page {
  repo: Repo
  commit: string
}

/** As `findPage`; null if there is none. */
export async function lookUpPage(repo: Repo | null, slug: string, version?: string): Promise<FoundPage | null> {
  const commit = repo && (version === undefined || version === '' ? await tipOf(repo) : await resolveCommit(repo, version))
  const page = repo && commit && (await indexOf(repo, commit)).find(slug)
  return page ? { ...page, repo, commit } : null
}

export function pageNotFound(): Failure {
  return notFound('Wiki Page')
}

/** Throws 413 if the page is too large to be read at once. */
export async function contentOf(repo: Repo, page: Pick<Page, 'oid'>): Promise<string> {
  const [content = ''] = await contentsOf(repo, [page])
  return content
}

/** As `contentOf`. Throws 400 for a page that isn't UTF-8, since a form would change bytes that nobody edited. */
export async function editableContentOf(repo: Repo, page: Pick<Page, 'oid'>): Promise<string> {
  await contentOf(repo, page)
  const blob = await readBlob(repo, page.oid)
  const text = blob && textIn(blob.data)
  if (text === null) throw invalid('This page is not text in UTF-8: change it in a clone of the wiki.')
  return text
}

/** The contents of these pages, in order. Throws 413 if one of them, or their total, is too large. */
export async function contentsOf(repo: Repo, pages: ReadonlyArray<Pick<Page, 'oid'>>): Promise<string[]> {
  const sizes = await Promise.all(pages.map(({ oid }) => objectInfo(repo, oid)))
  const bytes = sizes.map((info) => info?.size ?? 0)
  if (bytes.some((size) => size > maxPage_bytes) || bytes.reduce((sum, size) => sum + size, 0) > maxTogether_bytes) {
    throw new Failure('too_large', '413 The pages are too large, clone the wiki instead')
  }
  const blobs = await Promise.all(pages.map(({ oid }) => readBlob(repo, oid)))
  return blobs.map((blob) => (blob ? textOf(blob.data) : ''))
}
