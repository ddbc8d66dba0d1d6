/** Feeds of the commits and tags of a project. */

import type { LocatedProject } from '../../access/find.ts'
import { projectUrl } from '../../addresses/links.ts'
import { addressAt } from '../../addresses/repository.ts'
import type { App } from '../../app.ts'
import { listCommits } from '../../git/history/history.ts'
import { titleOf } from '../../git/objects/commit-title.ts'
import type { Commit } from '../../git/objects/parse.ts'
import { readCommits } from '../../git/objects/read.ts'
import { tagRevision } from '../../git/refs/names.ts'
import { pageOfRefs } from '../../git/refs/refs.ts'
import type { Repo } from '../../git/repository/repository.ts'
import { html } from '../../html/html.ts'
import { t } from '../../html/sentences.ts'
import type { Bytes } from '../frame/declaration.ts'
import { placeAt } from '../project/address.ts'
import { entriesPerFeed, type FeedEntry, feedReply, instantOf, tagUri } from './atom.ts'

interface Of {
  app: App
  project: LocatedProject
  repo: Repo
}

/** The latest commits of a revision, or of a path in it. Throws 404 if there is no such revision. */
export async function commitsFeed({ app: { config }, project, repo }: Of, text: string): Promise<Bytes> {
  const { revision, commit, path } = await placeAt(repo, text)
  const { rows } = await listCommits(repo, { from: commit, path }, { limit: entriesPerFeed, offset: 0 })
  const address = `${config.url}${addressAt(project.full_path, 'commits', revision, path)}`
  return {
    bytes: feedReply({
      id: tagUri(config, project.created_at, 'project', project.id, 'commits', text),
      title: t`${project.full_path}: commits of ${text}`,
      self: `${address}.atom`,
      page: address,
      updated: project.created_at,
      entries: rows.map((row) => commitEntry(config, project, row)),
    }),
  }
}

function commitEntry(config: App['config'], project: LocatedProject, { oid, message, author, committer }: Commit): FeedEntry {
  const updated = instantOf(committer.date)
  return {
    id: tagUri(config, updated, 'project', project.id, 'commit', oid),
    title: html`${titleOf(message) || oid.slice(0, 8)}`,
    link: `${projectUrl(config, project)}/commit/${oid}`,
    updated,
    author: { name: author.name },
    summary: message,
  }
}

/** The latest tags, by commit time. */
export async function tagsFeed({ app: { config }, project, repo }: Of): Promise<Bytes> {
  const { rows } = await pageOfRefs(repo, 'tags', { order_by: 'updated', sort: 'desc' }, { limit: entriesPerFeed, offset: 0 })
  const commits = await readCommits(
    repo,
    rows.flatMap(({ commit }) => commit ?? []),
  )
  const byId = new Map(commits.map((commit) => [commit.oid, commit]))
  const page = `${projectUrl(config, project)}/tags`
  const entries = rows.map(({ name, commit, committed_at }): FeedEntry => {
    const tagged = byId.get(commit ?? '')
    return {
      id: tagUri(config, project.created_at, 'project', project.id, 'tag', name),
      title: html`${name}`,
      link: `${config.url}${addressAt(project.full_path, 'tree', tagRevision(name))}`,
      updated: instantOf(committed_at * 1000),
      author: { name: tagged?.author.name ?? '' },
      summary: tagged && titleOf(tagged.message),
    }
  })
  const id = tagUri(config, project.created_at, 'project', project.id, 'tags')
  const title = `${project.full_path}: tags`
  return { bytes: feedReply({ id, title, self: `${page}.atom`, page, updated: project.created_at, entries }) }
}
