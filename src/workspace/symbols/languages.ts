/** The languages with outlines. A query captures each definition with its name. */

export interface Language {
  /** Name of the grammar. */
  readonly grammar: string;
  readonly definitions: string;
  /** Query for nodes whose names do not count: comments and string literals. */
  readonly silent: string;
}

const SCRIPT_DEFINITIONS = `
  (function_declaration name: (_) @name) @definition
  (generator_function_declaration name: (_) @name) @definition
  (class_declaration name: (_) @name) @definition
  (method_definition name: (_) @name) @definition
  (program (lexical_declaration (variable_declarator name: (identifier) @name) @definition))
  (program (variable_declaration (variable_declarator name: (identifier) @name) @definition))
  (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @definition))
  (assignment_expression left: (member_expression property: (_) @name) right: [(function_expression) (arrow_function)]) @definition
`;

const TYPED_DEFINITIONS = `${SCRIPT_DEFINITIONS}
  (abstract_class_declaration name: (_) @name) @definition
  (public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @definition
  (abstract_method_signature name: (_) @name) @definition
  (interface_declaration name: (_) @name) @definition
  (method_signature name: (_) @name) @definition
  (type_alias_declaration name: (_) @name) @definition
  (enum_declaration name: (_) @name) @definition
  (internal_module name: (_) @name) @definition
  (function_signature name: (_) @name) @definition
`;

const SCRIPT_SILENT = "[(comment) (string_fragment) (regex_pattern)] @silent";

const typescript: Language = { grammar: "typescript", definitions: TYPED_DEFINITIONS, silent: SCRIPT_SILENT };
const tsx: Language = { ...typescript, grammar: "tsx" };
const javascript: Language = {
  grammar: "javascript",
  definitions: `${SCRIPT_DEFINITIONS}
    (field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @definition
  `,
  silent: SCRIPT_SILENT,
};

const python: Language = {
  grammar: "python",
  definitions: `
    (class_definition name: (_) @name) @definition
    (function_definition name: (_) @name) @definition
    (module (expression_statement (assignment left: (identifier) @name) @definition))
  `,
  silent: "[(comment) (string_content)] @silent",
};

const go: Language = {
  grammar: "go",
  definitions: `
    (function_declaration name: (_) @name) @definition
    (method_declaration name: (_) @name) @definition
    (type_spec name: (_) @name) @definition
    (type_alias name: (_) @name) @definition
    (method_elem name: (_) @name) @definition
    (source_file (const_declaration (const_spec name: (_) @name) @definition))
    (source_file (var_declaration (var_spec name: (_) @name) @definition))
  `,
  silent: "[(comment) (interpreted_string_literal) (raw_string_literal)] @silent",
};

const rust: Language = {
  grammar: "rust",
  definitions: `
    (function_item name: (_) @name) @definition
    (function_signature_item name: (_) @name) @definition
    (struct_item name: (_) @name) @definition
    (enum_item name: (_) @name) @definition
    (union_item name: (_) @name) @definition
    (trait_item name: (_) @name) @definition
    (impl_item type: (_) @name) @definition
    (mod_item name: (_) @name) @definition
    (type_item name: (_) @name) @definition
    (const_item name: (_) @name) @definition
    (static_item name: (_) @name) @definition
    (macro_definition name: (_) @name) @definition
  `,
  silent: "[(line_comment) (block_comment) (string_literal) (raw_string_literal)] @silent",
};

const java: Language = {
  grammar: "java",
  definitions: `
    (class_declaration name: (_) @name) @definition
    (interface_declaration name: (_) @name) @definition
    (enum_declaration name: (_) @name) @definition
    (record_declaration name: (_) @name) @definition
    (annotation_type_declaration name: (_) @name) @definition
    (constructor_declaration name: (_) @name) @definition
    (method_declaration name: (_) @name) @definition
  `,
  silent: "[(line_comment) (block_comment) (string_literal)] @silent",
};

/** Also parses C. */
const cpp: Language = {
  grammar: "cpp",
  definitions: `
    (namespace_definition name: (_) @name) @definition
    (class_specifier name: (_) @name body: (_)) @definition
    (struct_specifier name: (_) @name body: (_)) @definition
    (union_specifier name: (_) @name body: (_)) @definition
    (enum_specifier name: (_) @name body: (_)) @definition
    (function_definition declarator: (function_declarator declarator: (_) @name)) @definition
    (function_definition declarator: (_ declarator: (function_declarator declarator: (_) @name))) @definition
    (declaration declarator: (function_declarator declarator: (_) @name)) @definition
    (field_declaration declarator: (function_declarator declarator: (_) @name)) @definition
    (preproc_def name: (_) @name) @definition
    (preproc_function_def name: (_) @name) @definition
    (type_definition declarator: (type_identifier) @name) @definition
    (alias_declaration name: (_) @name) @definition
  `,
  silent: "[(comment) (string_content) (system_lib_string)] @silent",
};

const csharp: Language = {
  grammar: "c-sharp",
  definitions: `
    (namespace_declaration name: (_) @name) @definition
    (file_scoped_namespace_declaration name: (_) @name) @definition
    (class_declaration name: (_) @name) @definition
    (interface_declaration name: (_) @name) @definition
    (struct_declaration name: (_) @name) @definition
    (enum_declaration name: (_) @name) @definition
    (record_declaration name: (_) @name) @definition
    (delegate_declaration name: (_) @name) @definition
    (constructor_declaration name: (_) @name) @definition
    (method_declaration name: (_) @name) @definition
    (property_declaration name: (_) @name) @definition
  `,
  silent: "[(comment) (string_literal_content)] @silent",
};

const ruby: Language = {
  grammar: "ruby",
  definitions: `
    (module name: (_) @name) @definition
    (class name: (_) @name) @definition
    (method name: (_) @name) @definition
    (singleton_method name: (_) @name) @definition
    (assignment left: (constant) @name) @definition
  `,
  silent: "[(comment) (string_content)] @silent",
};

const php: Language = {
  grammar: "php",
  definitions: `
    (class_declaration name: (_) @name) @definition
    (interface_declaration name: (_) @name) @definition
    (trait_declaration name: (_) @name) @definition
    (enum_declaration name: (_) @name) @definition
    (function_definition name: (_) @name) @definition
    (method_declaration name: (_) @name) @definition
    (const_element (name) @name) @definition
  `,
  silent: "[(comment) (string_content)] @silent",
};

const BY_ENDING: ReadonlyMap<string, Language> = new Map([
  ...["ts", "mts", "cts"].map((ending) => [ending, typescript] as const),
  ["tsx", tsx],
  ...["js", "mjs", "cjs", "jsx"].map((ending) => [ending, javascript] as const),
  ...["py", "pyi"].map((ending) => [ending, python] as const),
  ["go", go],
  ["rs", rust],
  ["java", java],
  ...["c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx"].map((ending) => [ending, cpp] as const),
  ["cs", csharp],
  ["rb", ruby],
  ["php", php],
]);

export function findLanguage(path: string): Language | undefined {
  return BY_ENDING.get(path.slice(path.lastIndexOf(".") + 1).toLowerCase());
}
