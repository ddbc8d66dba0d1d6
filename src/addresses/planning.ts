/** Addresses of issues, boards, labels and milestones. */
import { type AtPath, type AtPlace, placeAddress, projectAddress } from './places.ts'

export function issuesAddress(project: AtPath): string {
  return `${projectAddress(project)}/issues`
}

export function issueAddress(project: AtPath, iid: number): string {
  return `${issuesAddress(project)}/${iid}`
}

export function milestoneAddress(place: AtPlace, iid: number): string {
  return `${placeAddress(place, 'milestones')}/${iid}`
}

export function labelsAddress(place: AtPlace): string {
  return placeAddress(place, 'labels')
}

export function boardAddress(place: AtPlace, { id }: { id: number }): string {
  return `${placeAddress(place, 'boards')}/${id}`
}
