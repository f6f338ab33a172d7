/** The languages with outlines. A query captures each definition with its name. */
import { listWords } from "../../core/language/list-words.ts";

export interface Language {
  readonly grammar: string;
  readonly definitions: string;
  /** Query for nodes whose names do not count: comments and string literals. */
  readonly ignored: string;
}

interface Nodes {
  /** Types of nodes that define the name in their field `name`. */
  readonly named: string;
  /** Queries for other definitions. */
  readonly others?: string;
  /** Types of nodes whose names do not count. */
  readonly ignored: string;
}

function createLanguage(grammar: string, { named, others = "", ignored }: Nodes): Language {
  const definitions = listWords(named).map((type) => `(${type} name: (_) @name) @definition`);
  const nodes = listWords(ignored).map((type) => `(${type})`);
  return { grammar, definitions: [...definitions, others].join("\n"), ignored: `[${nodes.join(" ")}] @ignored` };
}

const SCRIPT: Nodes = {
  named: "function_declaration generator_function_declaration class_declaration method_definition",
  others: `
    (program (lexical_declaration (variable_declarator name: (identifier) @name) @definition))
    (program (variable_declaration (variable_declarator name: (identifier) @name) @definition))
    (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @definition))
    (assignment_expression left: (member_expression property: (_) @name) right: [(function_expression) (arrow_function)]) @definition
  `,
  ignored: "comment string_fragment regex_pattern",
};

const TYPED_SCRIPT: Nodes = {
  named: `${SCRIPT.named} abstract_class_declaration abstract_method_signature interface_declaration method_signature
    type_alias_declaration enum_declaration internal_module function_signature`,
  others: `${SCRIPT.others}
    (public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @definition
  `,
  ignored: SCRIPT.ignored,
};

const typescript = createLanguage("typescript", TYPED_SCRIPT);
const tsx = createLanguage("tsx", TYPED_SCRIPT);
const javascript = createLanguage("javascript", {
  ...SCRIPT,
  others: `${SCRIPT.others}
    (field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @definition
  `,
});

const python = createLanguage("python", {
  named: "class_definition function_definition",
  others: "(module (expression_statement (assignment left: (identifier) @name) @definition))",
  ignored: "comment string_content",
});

const go = createLanguage("go", {
  named: "function_declaration method_declaration type_spec type_alias method_elem",
  others: `
    (source_file (const_declaration (const_spec name: (_) @name) @definition))
    (source_file (var_declaration (var_spec name: (_) @name) @definition))
  `,
  ignored: "comment interpreted_string_literal raw_string_literal",
});

const rust = createLanguage("rust", {
  named: `function_item function_signature_item struct_item enum_item union_item trait_item mod_item type_item
    const_item static_item macro_definition`,
  others: "(impl_item type: (_) @name) @definition",
  ignored: "line_comment block_comment string_literal raw_string_literal",
});

const java = createLanguage("java", {
  named: `class_declaration interface_declaration enum_declaration record_declaration annotation_type_declaration
    constructor_declaration method_declaration`,
  ignored: "line_comment block_comment string_literal",
});

/** Also parses C. */
const cpp = createLanguage("cpp", {
  named: "namespace_definition preproc_def preproc_function_def alias_declaration",
  others: `
    (class_specifier name: (_) @name body: (_)) @definition
    (struct_specifier name: (_) @name body: (_)) @definition
    (union_specifier name: (_) @name body: (_)) @definition
    (enum_specifier name: (_) @name body: (_)) @definition
    (function_definition declarator: (function_declarator declarator: (_) @name)) @definition
    (function_definition declarator: (_ declarator: (function_declarator declarator: (_) @name))) @definition
    (declaration declarator: (function_declarator declarator: (_) @name)) @definition
    (field_declaration declarator: (function_declarator declarator: (_) @name)) @definition
    (type_definition declarator: (type_identifier) @name) @definition
  `,
  ignored: "comment string_content system_lib_string",
});

const csharp = createLanguage("c-sharp", {
  named: `namespace_declaration file_scoped_namespace_declaration class_declaration interface_declaration
    struct_declaration enum_declaration record_declaration delegate_declaration constructor_declaration
    method_declaration property_declaration`,
  ignored: "comment string_literal_content",
});

const ruby = createLanguage("ruby", {
  named: "module class method singleton_method",
  others: "(assignment left: (constant) @name) @definition",
  ignored: "comment string_content",
});

const php = createLanguage("php", {
  named: `class_declaration interface_declaration trait_declaration enum_declaration function_definition
    method_declaration`,
  others: "(const_element (name) @name) @definition",
  ignored: "comment string_content",
});

const ENDINGS: readonly (readonly [Language, string])[] = [
  [typescript, "ts mts cts"],
  [tsx, "tsx"],
  [javascript, "js mjs cjs jsx"],
  [python, "py pyi"],
  [go, "go"],
  [rust, "rs"],
  [java, "java"],
  [cpp, "c h cc cpp cxx hh hpp hxx"],
  [csharp, "cs"],
  [ruby, "rb"],
  [php, "php"],
];

const BY_ENDING = new Map(
  ENDINGS.flatMap(([language, endings]) => listWords(endings).map((ending) => [ending, language] as const)),
);

export function findLanguage(path: string): Language | undefined {
  return BY_ENDING.get(path.slice(path.lastIndexOf(".") + 1).toLowerCase());
}
