/** Sentences of people who talk to assistants and coding agents in French. */
export const french = {
  built: `
constraint: Ne déploie jamais le vendredi.
constraint: Merci de ne pas toucher au dossier migrations, il appartient à une autre équipe.
constraint: Le temps de réponse doit rester sous les 200 ms.
constraint: Lance toujours le linter avant de committer.
constraint: Utilise uniquement les paquets déjà présents dans package.json.
constraint: Les adresses des clients ne doivent en aucun cas se retrouver dans les logs.
constraint: Il ne faut pas modifier l'API publique.
constraint: Désormais, rédige les messages de commit en anglais.
none: Je n'ai jamais aimé les lundis.
none: Ça a dû être une longue nuit.
none: Tu utilises toujours des tabulations ?
none: Sur mon portable, la compilation prend environ quatre minutes.
decision: On a décidé d'utiliser Postgres plutôt que MySQL.
decision: On part sur la maquette bleue.
decision: Nous avons convenu de nous voir un jeudi sur deux.
decision: Finalement on garde la facturation mensuelle.
decision: J'ai décidé de résilier l'abonnement.
decision: On a choisi Vitest pour les nouveaux tests.
none: On n'a pas encore choisi de nom.
none: On prend Redis ou Memcached ?
open: Il faut encore écrire les notes de version.
open: L'export des grandes tables n'est pas encore implémenté.
open: TODO : renommer le bucket de staging.
open: Le test de connexion échoue toujours sous Windows.
open: Il reste à vérifier les factures de mars.
done: J'ai corrigé la fuite mémoire du worker.
done: La nouvelle page d'accueil est en ligne.
none: La liste était plutôt longue.
date 2024-03-06 = 5 March 2024: J'ai rendu mon mémoire hier.
date 2024-03-06 = 8 March 2024: Le plombier passe après-demain.
date 2024-03-06 = 1 March 2024: Vendredi dernier, il y a eu une coupure dans la salle serveur.
date 2024-03-06 = the week after 6 March 2024: Mes parents viennent nous voir la semaine prochaine.
date 2024-05-20 = 17 May 2024: On a signé le contrat il y a trois jours.
date 2024-05-20 = June 2024: Le cours commence le mois prochain.
date 2024-11-09 = 2022: Il y a deux ans, j'ai déménagé à Nantes.
recall: Où est-ce que je range le double des clés ? => Le double des clés est accroché à la cave, derrière le compteur d'eau.
recall: Combien coûte le loyer de l'atelier ? => On paie 640 euros par mois pour l'atelier de Montreuil.
recall: Sur quel port tourne la base de staging ? => La base de données de staging écoute sur le port 5544.
recall: À quelle heure arrive le train de Clara ? => Clara arrive à 18 h 42, voie neuf.
recall: À quoi est-ce que je suis allergique ? => Je fais une allergie aux noix, donc pas de pesto.
recall: Qui répare le chauffage ? => Monsieur Okafor fait l'entretien du chauffage chaque automne.
recall: Pourquoi a-t-on supprimé la file d'attente ? => On a retiré RabbitMQ parce que personne ne savait gérer la file la nuit.
idle: Salut !
idle: Merci beaucoup !
idle: ok, continue
idle: Super, vas-y.
idle: Bonjour, ça va ?
idle: Ça me va.
idle: À demain !`,
  heldOut: `
constraint: Ne pousse surtout pas directement sur main.
constraint: Aucune colonne de la table orders ne doit être renommée.
constraint: Assure-toi que chaque endpoint exige une authentification.
constraint: Le budget ne peut pas dépasser 3 000 euros.
constraint: Évite les variables globales dans les nouveaux modules.
constraint: Pas de polices externes.
constraint: Le rapport ne doit jamais citer le nom des clients.
constraint: Les anciennes URL doivent rester telles quelles.
none: Il doit bien y avoir une meilleure boulangerie par ici.
none: Je ne sais pas pourquoi le ventilateur fait autant de bruit.
none: Ma sœur appelle toujours le dimanche.
none: Ne t'inquiète pas pour la faute de frappe.
decision: Après discussion, nous avons retenu la petite salle.
decision: Ok, on prend l'option B.
decision: On s'est mis d'accord sur un prix de 1 200 euros.
decision: On utilisera des feature flags pour le lancement.
decision: J'ai finalement décidé de réécrire le parseur en Rust.
decision: L'équipe a décidé de repousser le lancement à juin.
none: Je ne sais pas si on avait décidé ça.
none: Personne n'a encore rien décidé.
open: La traduction des pages d'aide reste à faire.
open: La prochaine étape, c'est de brancher le prestataire de paiement.
open: On doit encore appeler le propriétaire.
open: La logique de relance n'est pas terminée.
open: Il manque encore le renouvellement des certificats.
done: Nous avons migré toutes les tables vers le nouveau cluster.
done: C'est fait, la feuille de style inutilisée est supprimée.
none: Sa conférence était ouverte à tous.
date 2024-03-06 = 7 March 2024: Demain j'ai rendez-vous chez le dentiste.
date 2024-03-06 = 4 March 2024: On m'a volé mon vélo avant-hier.
date 2024-03-06 = the week before 6 March 2024: La semaine dernière, on a testé les nouveaux capteurs.
date 2024-03-06 = 11 March 2024: L'atelier a lieu lundi prochain.
date 2024-05-20 = around 6 May 2024: Il y a deux semaines l'imprimante est tombée en panne.
date 2024-05-20 = April 2024: On a terminé la toiture le mois dernier.
date 2024-11-09 = 2025: L'année prochaine, Ben passe le bac.
recall: Comment s'appelle la nouvelle comptable ? => Notre nouvelle comptable, c'est Priya Raman.
recall: Combien de chaises a-t-on commandées ? => J'ai commandé 36 chaises pliantes pour la fête.
recall: Sur quelle branche se trouve le hotfix ? => Le hotfix est sur release-2.8, pas sur main.
recall: Où répète la chorale ? => Les répétitions de la chorale ont lieu dans l'ancienne caserne.
recall: Pour quand faut-il rendre la déclaration d'impôts ? => Les impôts attendent la déclaration avant le 31 mai.
recall: De quelle couleur sera la salle de bains ? => Pour la salle de bains on a peint l'échantillon en vert sauge.
recall: Qui a le mot de passe de la box ? => Jonas a changé le mot de passe de la box et l'a noté dans son carnet.
idle: Re-bonjour
idle: Merci !
idle: oui, continue s'il te plaît
idle: Parfait, poursuis.
idle: Bonsoir
idle: d'accord
idle: Au revoir !`,
};
