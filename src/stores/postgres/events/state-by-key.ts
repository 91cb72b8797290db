/**
 * The state in a condition of a statement that finds an event by its key. To the planner it is not a column, so it cannot use an index
 * of a state. If the statistics know of no event in the state, the planner expects such an index to be as short as the way to the
 * key. The statement then reads each event that has come into this state since.
 */
export const stateByKey = "(state || '')"
