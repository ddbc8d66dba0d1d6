/** Numbers for names of users, groups and projects: `names.taken` is the last one that a test has, in this worker or in a copied world. */

export const names = { taken: 0 }
