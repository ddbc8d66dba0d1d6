/** Boards: what other features may use. */
export { boardToChange, boardToRead, listToDelete, listToMove, readingBoards, visibleBoard, writingBoards } from './boards.access.ts'
export { deleteBoard, listBoards, listsOfBoards, type PlacedList } from './boards.queries.ts'
export { changeBoard, createBoard, createList, findBoard, findList, moveList, removeList } from './boards.service.ts'
export { type ColumnName, columnOfBoard, columnsOfBoard, type Move, moveIssue, type ShownColumn } from './columns.service.ts'
