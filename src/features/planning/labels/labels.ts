/** Labels: what others may use of them. */
export { presentLabelBrief } from './labels.present.ts'
export { listLabels, visibleLabels } from './labels.queries.ts'
export { findLabelsByIds, findLabelsByTitles, findOrCreateLabels, labelsUsableIn, titlesIn } from './named-labels.service.ts'
