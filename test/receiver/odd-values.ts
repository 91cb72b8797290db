export const rejectingList = 'a list of promises that reject'

/** Invalid values that a function written in JavaScript may return. */
export const odd: [name: string, make: () => unknown][] = [
  ['true', () => true],
  ['a number', () => 7],
  ['NaN', () => Number.NaN],
  ['a bigint', () => 7n],
  ['a symbol', () => Symbol('x')],
  ['a list', () => ['tr_1', 'default']],
  ['an object', () => ({ id: 'tr_1' })],
  ['bytes', () => new Uint8Array(3)],
  ['a function', () => () => 'tr_1'],
  ['a promise', () => Promise.resolve('tr_1')],
  ['a promise that rejects', () => Promise.reject(new Error('late'))],
  [rejectingList, () => [1, Promise.reject(new Error('late')), Promise.reject(new Error('later'))]],
]

export const throwing: [name: string, make: () => unknown][] = [
  [
    'an error',
    () => {
      throw new Error('broken')
    },
  ],
  [
    'undefined',
    () => {
      throw undefined
    },
  ],
  [
    'an object that cannot be printed',
    () => {
      throw Object.create(null)
    },
  ],
  [
    'a promise that rejects',
    () => {
      throw Promise.reject(new Error('late'))
    },
  ],
]
