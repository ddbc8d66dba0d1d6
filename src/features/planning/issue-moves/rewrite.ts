/** Texts of an issue that moves: what they refer to stays where it is, so that references get the path of its project. */
import type { LocatedProject } from '../../../access/find.ts'
import type { Config } from '../../../config.ts'
import { projectUrl } from '../../../links.ts'

const upload = /(?<=[(\s"']|^)\/uploads\/(?=[0-9a-f]{32}\/)/gm

/** For texts of the one project that come into the other. */
export function rewriterFor(config: Config, from: LocatedProject, _to: LocatedProject): (text: string) => string {
  return (text) => (text.includes('/uploads/') ? text.replace(upload, `${projectUrl(config, from)}/uploads/`) : text)
}
