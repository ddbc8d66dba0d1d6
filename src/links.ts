/** Addresses as users see them: of pages, of the API, of repositories. */
import type { Config } from './config.ts'

export const webUrl = (config: Config, path: string): string => `${config.url}/${path}`

export const apiUrl = (config: Config, path: string): string => `${config.url}/api/v4/${path}`

/** `http://host/group/project.git` */
export const httpCloneUrl = (config: Config, fullPath: string): string => `${config.url}/${fullPath}.git`

/** `git@host:group/project.git` */
export const sshCloneUrl = (config: Config, fullPath: string): string => `git@${config.hostname}:${fullPath}.git`
