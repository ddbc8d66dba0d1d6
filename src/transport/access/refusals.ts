/** Refusals of access to repositories, in words that git shows; and the lookup that all rules share. */
import { findProjectOnceAt, type ProjectAccess } from '../../access/find.ts'
import type { Viewer } from '../../access/visible.ts'
import type { App } from '../../app.ts'
import type { Project } from '../../db/tables.ts'
import { Failure, nullIfMissing } from '../../failure.ts'

export function accessDenied(): Failure {
  return new Failure('unauthorized', 'HTTP Basic: Access denied')
}

export function outOfScope(): Failure {
  return denied('The scope of this token does not reach to git.')
}

export function unknownProject(): Failure {
  return new Failure('not_found', 'The project you were looking for could not be found.')
}

export function denied(sentence: string): Failure {
  return new Failure('forbidden', sentence)
}

/** The project at this path or former path; null if the viewer can see none. */
export function findVisible(app: App, path: string, viewer: Viewer): Promise<ProjectAccess | null> {
  return findProjectOnceAt(app.db, path, viewer).catch(nullIfMissing)
}

export function refusalOfPush(project: Project): string {
  return project.archived ? 'You are not allowed to push code to an archived project.' : 'You are not allowed to push code to this project.'
}
