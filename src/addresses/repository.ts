/** Paths of what is in a repository: files, commits, branches, tags and releases. */
import { branchRevision } from '../git/refs/names.ts'
import { type AtPath, projectAddress } from './places.ts'

/** The segments of a path or ref, encoded one by one, so that slashes are kept. */
export function encodedPath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

/** A page about a revision and a path: `tree`, `blob`, `raw`, `commits`. */
export function addressAt(projectPath: string, page: string, revision: string, path = ''): string {
  return `${projectAddress({ full_path: projectPath })}/${page}/${encodedPath(path === '' ? revision : `${revision}/${path}`)}`
}

/** The page of a file on a branch. */
export function fileAddress({ full_path }: AtPath, branch: string, path: string): string {
  return addressAt(full_path, 'blob', branchRevision(branch), path)
}

export function commitAddress(project: AtPath, oid: string): string {
  return `${projectAddress(project)}/commit/${oid}`
}

export function tagsAddress(project: AtPath): string {
  return `${projectAddress(project)}/tags`
}

/** The page of a tag. A tag with the name of the form for new tags is addressed by its full ref. */
export function tagAddress(project: AtPath, name: string): string {
  return `${tagsAddress(project)}/${encodeURIComponent(name === 'new' ? 'refs/tags/new' : name)}`
}

export function releasesAddress(project: AtPath): string {
  return `${projectAddress(project)}/releases`
}

/** The page of a release. If its tag has the name of the form for new releases, it is addressed by its full ref. */
export function releaseAddress(project: AtPath, tagName: string): string {
  return `${releasesAddress(project)}/${encodeURIComponent(tagName === 'new' ? 'refs/tags/new' : tagName)}`
}
