import { change, type Fault } from './fault.js'

const value = {
  id: 'evt_1',
  type: 'transfer.settled',
  data: { status: 'settled', none: null, isLive: true, list: [7, [], {}, 'x'], fee: 0.5, change: -3 },
  text: 'a"b\\c/é\u007f\u2028<&>\'+`',
}
const minified = JSON.stringify(value)
const plain = JSON.stringify(value.text)

/** Signed as another program writes it, and then parsed and serialized by JavaScript. */
const javascript = (signed: string) => change(signed, minified)
/** The same JSON with its last string written in another way. */
const withText = (text: string) => minified.replace(plain, () => text)
const withNumbers = (fee: string, change: string, item: string) =>
  minified.replace('0.5', fee).replace('-3', change).replace('[7', `[${item}`)
const spaced = (json: string) => json.replaceAll('":', '": ').replaceAll(/,(?=["[{])/g, ', ')

export const serializerFaults: readonly Fault[] = [
  [
    'JSON.stringify with two spaces',
    javascript(JSON.stringify(value, undefined, 2)),
    {
      body_reformatted:
        'The signed JSON is indented by two spaces. First difference at byte 1; 167 bytes given, 256 signed.',
    },
  ],
  [
    'JSON.stringify with four spaces',
    javascript(JSON.stringify(value, undefined, 4)),
    {
      body_reformatted:
        'The signed JSON is indented by four spaces. First difference at byte 1; 167 bytes given, 318 signed.',
    },
  ],
  [
    'JSON.stringify with tabs',
    javascript(JSON.stringify(value, undefined, '\t')),
    {
      body_reformatted:
        'The signed JSON is indented by tabs. First difference at byte 1; 167 bytes given, 225 signed.',
    },
  ],
  [
    'json.dumps of Python without ASCII',
    javascript(spaced(minified)),
    {
      body_reformatted:
        'The signed JSON is on one line with a space after each colon and comma. First difference at byte 6; 167 bytes given, 188 signed.',
    },
  ],
  [
    'json.dumps of Python',
    javascript(spaced(withText(String.raw`"a\"b\\c/\u00e9\u007f\u2028<&>'+${'`'}"`))),
    {
      body_reformatted:
        'The signed JSON is on one line with a space after each colon and comma. First difference at byte 6; 167 bytes given, 200 signed.',
      body_escapes_changed: 'The signed strings are with \\u escapes for all but ASCII.',
    },
  ],
  [
    'json_encode of PHP',
    javascript(withText(String.raw`"a\"b\\c\/\u00e9\u007f\u2028<&>'+${'`'}"`)),
    {
      body_escapes_changed:
        'The signed strings are with \\u escapes for all but ASCII and slashes written as \\/. First difference at byte 152; 167 bytes given, 180 signed.',
    },
  ],
  [
    'json_encode of PHP with JSON_UNESCAPED_UNICODE',
    javascript(withText(plain.replace('/', '\\/'))),
    {
      body_escapes_changed:
        'The signed strings are with slashes written as \\/. First difference at byte 152; 167 bytes given, 168 signed.',
    },
  ],
  [
    'Jackson with ESCAPE_NON_ASCII',
    javascript(withText(String.raw`"a\"b\\c/\u00E9\u007F\u2028<&>'+${'`'}"`)),
    {
      body_escapes_changed:
        'The signed strings are with \\u escapes in upper case for all but ASCII. First difference at byte 153; 167 bytes given, 179 signed.',
    },
  ],
  [
    'encoding/json of Go',
    javascript(
      withText(plain.replace('<&>', String.raw`\u003c\u0026\u003e`).replace('\u2028', String.raw`\u2028`)),
    ),
    {
      body_escapes_changed:
        'The signed strings are with \\u escapes for <, > and &. First difference at byte 156; 167 bytes given, 185 signed.',
    },
  ],
  [
    'System.Text.Json of .NET',
    javascript(withText(String.raw`"a\u0022b\\c/\u00E9\u007F\u2028\u003C\u0026\u003E\u0027\u002B\u0060"`)),
    {
      body_escapes_changed:
        'The signed strings are with the \\u escapes of System.Text.Json. First difference at byte 147; 167 bytes given, 213 signed.',
    },
  ],
  [
    'fractions with two digits',
    javascript(withNumbers('0.50', '-3', '7')),
    {
      body_numbers_rewritten:
        'The signed numbers are with two digits after the point where they have any. First difference at byte 123; 167 bytes given, 168 signed.',
    },
  ],
  [
    'numbers with two digits',
    javascript(withNumbers('0.50', '-3.00', '7.00')),
    {
      body_numbers_rewritten:
        'The signed numbers are all with two digits after the point. First difference at byte 102; 167 bytes given, 174 signed.',
    },
  ],
  [
    'whole numbers with a point',
    javascript(withNumbers('0.5', '-3.0', '7.0')),
    {
      body_numbers_rewritten:
        'The signed numbers are with .0 where they are whole. First difference at byte 102; 167 bytes given, 171 signed.',
    },
  ],
  [
    'unneeded escapes',
    change(minified, withText(String.raw`"\u0061\"b\\c\/\u00e9\u007F\u2028\u003c&>'+${'`'}"`)),
    {
      body_escapes_changed:
        'The signed strings are without escapes that JSON does not need. First difference at byte 145; 190 bytes given, 167 signed.',
    },
  ],
  [
    'another order of keys, with unknown ones',
    change(
      '{"id":"evt_1","data":{"status":"s","rail":"r"},"a":1,"b":[{"id":2,"z":3}]}',
      '{"a":1,"b":[{"z":3,"id":2}],"data":{"rail":"r","status":"s"},"id":"evt_1"}',
    ),
    {
      body_keys_reordered:
        'The signed keys are in the order of the service interface. First difference at byte 2; 74 bytes given, 74 signed.',
    },
  ],
  [
    'sorted keys of which one is escaped',
    change(
      String.raw`{"a":1,"\u0062":2,"c":{"x":1,"y":2}}`,
      String.raw`{"c":{"y":2,"x":1},"\u0062":2,"a":1}`,
    ),
    {
      body_keys_reordered:
        'The signed keys are sorted by name. First difference at byte 2; 36 bytes given, 36 signed.',
    },
  ],
  [
    'white space in the places of other keys',
    change('{ "a": [ 1, 2 ],\n  "b" :[ ], "c": { } }', '{ "b" :[ ],\n  "a": [ 1, 2 ], "c": { } }'),
    {
      body_keys_reordered:
        'The signed keys are sorted by name. First difference at byte 3; 39 bytes given, 39 signed.',
    },
  ],
  [
    'white space around JSON',
    change(' {"n":1.50}\n', ' {"n":1.5}\n'),
    {
      body_numbers_rewritten:
        'The signed numbers are with two digits after the point where they have any. First difference at byte 9; 11 bytes given, 12 signed.',
    },
  ],
  [
    'a repeated key',
    change('{"a":2}', '{"a":1,"a":2}'),
    {
      body_reserialized: 'The signed JSON is minified. First difference at byte 5; 13 bytes given, 7 signed.',
    },
  ],
  [
    'a repeated key, indented by two',
    change('{\n  "a": 2\n}', '{"a":1,"a":2}'),
    {
      body_reserialized:
        'The signed JSON is indented by two spaces. First difference at byte 1; 13 bytes given, 12 signed.',
    },
  ],
  [
    'a repeated key, indented by four',
    change('{\n    "a": 2\n}', '{"a":1,"a":2}'),
    {
      body_reserialized:
        'The signed JSON is indented by four spaces. First difference at byte 1; 13 bytes given, 14 signed.',
    },
  ],
  [
    'a repeated key, indented by tabs',
    change('{\n\t"a": 2\n}', '{"a":1,"a":2}'),
    {
      body_reserialized:
        'The signed JSON is indented by tabs. First difference at byte 1; 13 bytes given, 11 signed.',
    },
  ],
]
