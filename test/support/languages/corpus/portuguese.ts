/** Sentences of people who talk to assistants and coding agents in Portuguese, of Brazil and of Portugal. */
export const portuguese = {
  built: `
constraint: Nunca faça deploy na sexta-feira.
constraint: Por favor, não mexa na pasta migrations, ela é de outro time.
constraint: O tempo de resposta tem que ficar abaixo de 200 ms.
constraint: Sempre rode o linter antes de commitar.
constraint: Use apenas os pacotes que já estão no package.json.
constraint: De jeito nenhum os e-mails dos clientes podem aparecer nos logs.
constraint: A API pública não pode mudar.
constraint: A partir de agora, escreva as mensagens de commit em inglês.
none: Nunca gostei muito de segunda-feira.
none: Deve ter sido uma noite longa.
none: Você sempre usa tabs?
none: No meu notebook o build demora uns quatro minutos.
decision: Decidimos usar Postgres em vez de MySQL.
decision: Vamos com o layout azul.
decision: Combinamos de nos encontrar a cada duas quintas.
decision: No fim ficamos com a cobrança mensal.
decision: Resolvi cancelar a assinatura.
decision: Escolhemos o Vitest para os testes novos.
none: Ainda não decidimos o nome.
none: A gente usa Redis ou Memcached?
open: Ainda temos que escrever as notas da versão.
open: Falta implementar a exportação de tabelas grandes.
open: TODO: renomear o bucket de staging.
open: O teste de login continua falhando no Windows.
open: As faturas de março ainda precisam ser conferidas.
done: Já corrigi o vazamento de memória do worker.
done: A nova página inicial já está no ar.
none: A lista era bem comprida.
date 2024-03-06 = 5 March 2024: Ontem entreguei a dissertação.
date 2024-03-06 = 8 March 2024: O encanador vem depois de amanhã.
date 2024-03-06 = 1 March 2024: Na sexta passada faltou luz na sala dos servidores.
date 2024-03-06 = the week after 6 March 2024: Meus pais nos visitam na semana que vem.
date 2024-05-20 = 17 May 2024: Assinamos o contrato há três dias.
date 2024-05-20 = June 2024: O curso começa no mês que vem.
date 2024-11-09 = 2022: Há dois anos me mudei para Recife.
recall: Onde fica a chave reserva? => A chave reserva está pendurada no porão, atrás do medidor de água.
recall: Quanto custa o aluguel do ateliê? => Pagamos 900 reais por mês pelo ateliê em Pinheiros.
recall: Em que porta roda o banco de staging? => O banco de dados de staging escuta na porta 5544.
recall: Que horas chega o trem da Clara? => A Clara chega às 18:42 na plataforma nove.
recall: A que eu tenho alergia? => Sou alérgico a nozes, então nada de pesto.
recall: Quem conserta o aquecedor? => O seu Osvaldo faz a manutenção do aquecedor todo outono.
recall: Por que tiramos a fila? => Removemos o RabbitMQ porque ninguém conseguia cuidar da fila de madrugada.
idle: Oi!
idle: Muito obrigado!
idle: ok, continua
idle: Ótimo, pode seguir.
idle: Bom dia, tudo bem?
idle: Parece bom.
idle: Até amanhã!`,
  heldOut: `
constraint: Jamais faça push direto na main.
constraint: Nenhuma coluna da tabela orders pode ser renomeada.
constraint: Certifique-se de que todo endpoint exija autenticação.
constraint: O orçamento não pode passar de 3.000 reais.
constraint: Evite variáveis globais nos módulos novos.
constraint: Nada de fontes externas.
constraint: O relatório nunca deve citar nomes de clientes.
constraint: As URLs antigas devem continuar como estão.
none: Deve haver uma padaria melhor por aqui.
none: Não sei por que a ventoinha faz tanto barulho.
none: Minha irmã sempre liga aos domingos.
none: Não se preocupe com o erro de digitação.
decision: Depois de muita conversa, optamos pelo salão menor.
decision: Beleza, fechamos com a opção B.
decision: Concordámos num preço de 1.200 euros.
decision: Então vamos usar feature flags no lançamento.
decision: Decidi reescrever o parser em Rust.
decision: A equipe decidiu adiar o lançamento para junho.
none: Não sei se a gente decidiu isso.
none: Ninguém decidiu nada ainda.
open: A tradução das páginas de ajuda está pendente.
open: O próximo passo é integrar o meio de pagamento.
open: Ainda preciso ligar para o proprietário.
open: A lógica de novas tentativas ainda não está pronta.
open: Falta renovar os certificados.
done: Migramos todas as tabelas para o cluster novo.
done: Removi a folha de estilos que ninguém usava.
none: A palestra dela era aberta a todos.
date 2024-03-06 = 7 March 2024: Amanhã tenho consulta no dentista.
date 2024-03-06 = 4 March 2024: Anteontem roubaram minha bicicleta.
date 2024-03-06 = the week before 6 March 2024: Na semana passada testamos os sensores novos.
date 2024-03-06 = 11 March 2024: A oficina é na próxima segunda-feira.
date 2024-05-20 = around 6 May 2024: Faz duas semanas que a impressora quebrou.
date 2024-05-20 = April 2024: Terminamos o telhado no mês passado.
date 2024-11-09 = 2025: No ano que vem o Ben termina a escola.
recall: Como se chama a nova contadora? => A nossa contadora nova é a Priya Ramos.
recall: Quantas cadeiras a gente pediu? => Pedi 36 cadeiras dobráveis para a festa.
recall: Em que branch está o hotfix? => O hotfix está na release-2.8, não na main.
recall: Onde o coral ensaia? => Os ensaios do coral são no antigo quartel dos bombeiros.
recall: Qual é o prazo da declaração de imposto? => A Receita quer a declaração até 31 de maio.
recall: De que cor vai ser o banheiro? => Pintamos a amostra do banheiro de verde-sálvia.
recall: Quem tem a senha do roteador? => O Jonas trocou a senha do roteador e anotou no caderno dele.
idle: Oi de novo
idle: Obrigada!
idle: sim, pode continuar
idle: Perfeito, siga em frente.
idle: Boa noite
idle: combinado
idle: Tchau!`,
};
