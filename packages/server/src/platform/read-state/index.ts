// Owns what a person has read: the mark in each channel, and what has come since.
// Does not own: the messages and whom they mention (messages/), who may view which channel (permissions/).
export { createReadState, type ReadStates, readStatesOf } from './read-state.ts'
