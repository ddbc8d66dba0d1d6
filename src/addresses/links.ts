/** URLs as users see them: of pages, of the API, of repositories. */
import type { Config } from '../config.ts'

/** The URL of a page: `pageUrl(config, issueAddress(project, iid))`. For clients, hooks, feeds and mail, which can't use relative links. */
export const pageUrl = (config: Config, address: string): string => config.url + address

export const webUrl = (config: Config, path: string): string => `${config.url}/${path}`

/** The page of a project, below which those of its commits, tags and releases are: `http://host/group/project`. */
export const projectUrl = (config: Config, { full_path }: { full_path: string }): string => webUrl(config, full_path)

export const apiUrl = (config: Config, path: string): string => `${config.url}/api/v4/${path}`

/** `http://host/group/project.git` */
export const httpCloneUrl = (config: Config, fullPath: string): string => `${config.url}/${fullPath}.git`

/** `git@host:group/project.git`, or `ssh://git@host:2222/group/project.git` if the port isn't the default. */
export function sshCloneUrl({ ssh_address: { host, port } }: Config, fullPath: string): string {
  return port === 22 ? `git@${host}:${fullPath}.git` : `ssh://git@${host}:${port}/${fullPath}.git`
}
