/** Projects that users show first on their profiles: what other features may use. */
export { type ListedProject, maxPins, pinnableProjects, pinnedProjects, pinProjects } from './pinned-projects.service.ts'
